import pytest
from django.core.exceptions import ImproperlyConfigured

from config.mail import MailServer, server


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        ({"SMTP_HOST": "mail.example.org"}, MailServer("mail.example.org", 587)),
        (
            {"SMTP_HOST": "m", "SMTP_TLS": "ssl", "SMTP_USER": "u", "SMTP_PASSWORD": "p"},
            MailServer("m", 465, "u", "p", "ssl"),
        ),
        ({"SMTP_HOST": "m", "SMTP_TLS": "off"}, MailServer("m", 25, security="off")),
        ({"EMAIL_URL": "smtps://u%40x:p%2F@m"}, MailServer("m", 465, "u@x", "p/", "ssl")),
        ({"EMAIL_URL": "smtp://m:2525"}, MailServer("m", 2525)),
    ],
)
def test_a_mail_server_is_read(environ: dict[str, str], expected: MailServer | None) -> None:
    assert server(environ) == expected


@pytest.mark.parametrize(
    "environ",
    [
        {"EMAIL_URL": "http://user:hunter2@m"},
        {"EMAIL_URL": "smtp://user:hunter2@"},
        {"EMAIL_URL": "smtp://user:hunter2@m:x"},
        {"SMTP_HOST": "m", "SMTP_PORT": "0", "SMTP_PASSWORD": "hunter2"},
        {"SMTP_HOST": "m", "SMTP_TLS": "maybe", "SMTP_PASSWORD": "hunter2"},
    ],
)
def test_a_wrong_one_is_refused_without_its_password(environ: dict[str, str]) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        server(environ)

    assert "hunter2" not in str(refused.value)
