"""The bodies of all requests in the traces of a product, as JSON: base64, with the state of the
attempt that sent them. In the product's settings."""

import base64
import json
import sys

import django


def main() -> None:
    django.setup()
    from tracing.models import Payload
    from tracing.store import payloads

    requests = Payload.objects.filter(stage=Payload.Stage.REQUEST).select_related("span__trace")
    found = [
        [one.span.status, base64.b64encode(payloads.load(one)).decode()]
        for one in requests.order_by("pk")
    ]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
