"""The mails that this server sends, in the language of whoever asked for them."""

import logging
import smtplib
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)


def send(to: str, name: str, context: dict[str, Any]) -> bool:
    """Sends `templates/account/email/<name>_{subject,message}.txt`; whether the mail server took
    it. Without a mail server nothing is sent."""
    if not settings.HAS_MAIL or not to:
        return False
    subject = " ".join(render_to_string(f"account/email/{name}_subject.txt", context).split())
    text = render_to_string(f"account/email/{name}_message.txt", context)
    try:
        return bool(send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [to]))
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("a mail (%s) was not sent: %s", name, type(error).__name__)
        return False
