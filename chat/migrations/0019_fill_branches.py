"""Stored turns become a tree: one path; those that were tried again are beside it."""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    Turn = apps.get_model("chat", "Turn")
    Conversation = apps.get_model("chat", "Conversation")
    earlier = Turn.objects.filter(
        conversation=OuterRef("conversation"), pk__lt=OuterRef("pk"), retried_by=None
    )
    preset = Conversation.objects.filter(pk=OuterRef("conversation")).values("preset")
    Turn.objects.update(
        parent=Subquery(earlier.order_by("-pk").values("pk")[:1]), preset=Subquery(preset[:1])
    )
    Turn.objects.filter(retried_by__isnull=False).update(is_shown=False)
    retries = Turn.objects.filter(retry_of__isnull=False).order_by("pk")
    originals = {}
    for turn, retried in retries.values_list("pk", "retry_of"):
        originals[turn] = originals.get(retried, retried)
        Turn.objects.filter(pk=turn).update(original=originals[turn])
    give_prompts_their_turn(apps.get_model("chat", "Message"))


def give_prompts_their_turn(Message):
    """A prompt that was chosen later had no turn: it gets that of the message before it, or, if it
    was copied for another try, that of the try."""
    prompts = Message.objects.filter(role="system", turn=None, parent__isnull=False)
    for prompt in prompts.select_related("parent").order_by("pk"):
        tries = Message.objects.filter(parent=prompt, turn__retry_of__isnull=False)
        turn = tries.values_list("turn", flat=True).first()
        parent = Message.objects.filter(pk=prompt.parent_id).values_list("turn", flat=True)
        Message.objects.filter(pk=prompt.pk).update(turn=turn or parent.first())


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0018_branches"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
