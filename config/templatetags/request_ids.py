from django import template

from host import log_ids

register = template.Library()


@register.simple_tag
def request_id() -> str:
    """The id of this request, as the log has it; "" outside of one."""
    return str(log_ids.current().get("request", ""))
