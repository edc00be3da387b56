"""What people and groups have used, and their limits, for admins: `/usage/`.

- `consumers`: what each person and each group has used this month
- `chart`: tokens and cost of the days of a month, as drawings
- `forms`: the form of a limit
- `metrics`: the same of groups, and refusals, for Prometheus
- `views`: the page, and its changes
"""
