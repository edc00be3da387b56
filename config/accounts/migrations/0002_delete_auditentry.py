from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (("accounts", "0001_initial"), ("audit", "0002_sign_in_log"))
    operations = (migrations.DeleteModel(name="AuditEntry"),)
