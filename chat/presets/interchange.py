"""A preset as JSON, out and in.

    {"roundtrip": {"preset": 1}, "name": "…", "system_prompt": "…", "tools": ["sqlite-*"], …}

Models, servers, tools and skills are named, never described: nothing secret is in it. What is not
here is told, and kept where that does no harm. What cannot be meant is refused.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from chat import storage
from chat.agent import numbers
from chat.agent.limits import deployment
from chat.errors import Rejected
from chat.models import LanguageModel, Preset, Skill
from chat.presets.fields import patterns_problem, policies_problem, starters_problem
from db.fields import storable
from db.users import AnyUser
from limits.chat import MAX_PRESET_TEXT, MAX_SYSTEM_PROMPT
from tools.catalogue import registry
from tools.models import Policy, Server

VERSION = 1
LENGTHS = {"name": 80, "description": 300, "system_prompt": MAX_SYSTEM_PROMPT}
LISTS = ("tools", "servers", "skills")
KNOWN = {*LENGTHS, *LISTS, "roundtrip", "model", "policies", "starters", "limits"}


@dataclass(frozen=True)
class Imported:
    """A preset that is not saved yet, and what people should know of it."""

    preset: Preset
    notes: list[str]


def exported(preset: Preset) -> dict[str, Any]:
    return {
        "roundtrip": {"preset": VERSION},
        "name": preset.name,
        "description": preset.description,
        "system_prompt": preset.system_prompt,
        "model": preset.model.name if preset.model else None,
        "tools": preset.tools,
        "servers": preset.servers,
        "skills": preset.skills,
        "policies": preset.policies,
        "starters": preset.starters,
        "limits": preset.limits,
    }


def imported(text: str, user: User) -> Imported:
    """What the text says, as a preset of this user's own. Raises `Rejected`."""
    written = _loaded(text)
    notes: list[str] = []
    lists = {name: _strings(written.get(name), name) for name in LISTS}
    texts = {name: _text(written, name, most) for name, most in LENGTHS.items()}
    if not texts["name"].strip():
        raise Rejected(gettext('It has no name. Add one: "name": "My assistant".'))
    preset = Preset(
        owner=user,
        description=texts["description"],
        system_prompt=texts["system_prompt"],
        name=free_name(texts["name"], user.pk),
        model=_model(written.get("model"), user, notes),
        policies=_policies(written.get("policies") or []),
        starters=_starters(written.get("starters")),
        limits=_limits(written.get("limits") or {}, notes),
        **lists,
    )
    notes.extend(_unknown(preset, user))
    if preset.name != texts["name"]:
        notes.append(
            gettext("The name is taken, so it is called “%(name)s” here.") % {"name": preset.name}
        )
    if any(needs == Policy.ALLOW for _, needs in preset.policies):
        notes.append(gettext("“Allow” applies only where the tool's own policy also allows."))
    if ignored := sorted(set(written) - KNOWN):
        notes.append(
            gettext("Not used: %(ignored)s.")
            % {"ignored": ", ".join(name[:40] for name in ignored[:10])}
        )
    return Imported(preset, notes)


def keep(found: Imported) -> Preset:
    """Saves it, under another name if somebody has taken its own meanwhile. Raises `Rejected`."""
    preset = found.preset
    storage.check_upload(preset.owner_id or 0, len(preset.system_prompt))
    try:
        with transaction.atomic():
            preset.save()
    except IntegrityError:
        preset.name = free_name(preset.name, preset.owner_id)
        preset.save()
    return preset


def replaced(row: Preset, found: Imported, name: str) -> Preset:
    """Gives a preset all that the imported one says, and this name. Raises `Rejected`."""
    columns = (*LISTS, "description", "system_prompt", "model", "policies", "starters", "limits")
    for column in columns:
        setattr(row, column, getattr(found.preset, column))
    row.name = " ".join(name.split())
    storage.check_upload(row.owner_id or 0, len(row.system_prompt))
    same = Preset.objects.filter(owner=row.owner_id, name=row.name).exclude(pk=row.pk)
    try:
        with transaction.atomic():
            if same.exists():
                raise IntegrityError
            row.save()
    except IntegrityError as error:
        raise Rejected(gettext("There is an assistant with this name. Choose another.")) from error
    return row


def free_name(name: str, owner: int | None) -> str:
    """The name, with a number if this owner has one of that name."""
    name = " ".join(name.split())
    taken = set(Preset.objects.filter(owner=owner).values_list("name", flat=True))
    chosen, number = name, 2
    while chosen in taken:
        suffix = f" {number}"
        chosen, number = name[: LENGTHS["name"] - len(suffix)] + suffix, number + 1
    return chosen


def usable_tools(user: AnyUser) -> set[str]:
    return {tool.name for tool in registry.usable(user)}


def absent_tools(preset: Preset, there: set[str]) -> list[str]:
    """Names of tools, no patterns, that the preset names and nobody can call here now."""
    return [one for one in preset.tools or () if not _is_pattern(one) and one not in there]


def _loaded(text: str) -> dict[str, Any]:
    if len(text) > MAX_PRESET_TEXT:
        raise Rejected(
            gettext("This is longer than %(most)s characters.") % {"most": f"{MAX_PRESET_TEXT:,}"}
        )
    if not text.strip():
        raise Rejected(gettext("Nothing to import. Paste the exported text, or choose the file."))
    try:
        written = _storable(json.loads(text.lstrip("\ufeff")))
    except json.JSONDecodeError as error:
        raise Rejected(
            gettext("Line %(line)s, column %(column)s: this is not JSON (%(error)s).")
            % {"line": error.lineno, "column": error.colno, "error": error.msg}
        ) from None
    except ValueError:
        raise Rejected(gettext("A number in it is too long.")) from None
    except RecursionError:
        raise Rejected(gettext("It is nested too deeply.")) from None
    known: dict[str, Any] = written if isinstance(written, dict) else {}
    marked = known.get("roundtrip")
    version = marked.get("preset") if isinstance(marked, dict) else None
    if version is None:
        raise Rejected(
            gettext('This is not an assistant: it must begin with {"roundtrip": {"preset": 1}.')
        )
    if version != VERSION:
        raise Rejected(
            gettext("It has the format %(version)s; this version of Roundtrip reads %(version_2)s.")
            % {"version": str(version)[:20], "version_2": VERSION}
        )
    return known


def _storable(value: Any) -> Any:
    """The same with texts that every database and every page takes."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {storable(name): _storable(one) for name, one in value.items()}
    return value


def _text(written: dict[str, Any], name: str, most: int) -> str:
    found = written.get(name)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise Rejected(gettext("%(name)s: write a text.") % {"name": name})
    if len(found) > most:
        raise Rejected(
            gettext("%(name)s: it has %(count)s characters; the limit is %(most)s.")
            % {"name": name, "count": f"{len(found):,}", "most": f"{most:,}"}
        )
    return found


def _strings(found: Any, name: str) -> list[str] | None:
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise Rejected(
            gettext("%(name)s: write a list of texts, or null for all.") % {"name": name}
        )
    if sentence := patterns_problem(found):
        raise Rejected(f"{name}: {sentence}")
    return found


def _starters(found: Any) -> list[str]:
    starters = _strings(found, "starters") or []
    if sentence := starters_problem(starters):
        raise Rejected(gettext("starters: %(sentence)s") % {"sentence": sentence})
    return starters


def _policies(found: Any) -> list[list[str]]:
    rows: list[list[str]] = found if isinstance(found, list) else []
    is_fit = all(isinstance(row, list) and list(map(type, row)) == [str, str] for row in rows)
    if not isinstance(found, list) or not is_fit:
        raise Rejected(gettext('policies: write a list of pairs, such as [["sqlite-*", "ask"]].'))
    if sentence := policies_problem(rows):
        raise Rejected(gettext("policies: %(sentence)s") % {"sentence": sentence})
    return rows


def _limits(found: Any, notes: list[str]) -> dict[str, Any]:
    """As they are; a ceiling above the deployment's is lowered to that, and told."""
    for name, sentence in numbers.problems(found).items():
        raise Rejected(
            gettext("limits: %(name)s: %(sentence)s") % {"name": name[:40], "sentence": sentence}
            if name
            else gettext("limits: %(sentence)s") % {"sentence": sentence}
        )
    above = deployment()
    highest = {
        name: getattr(above, name) for name, one in numbers.NUMBERS.items() if one.is_ceiling
    }
    for name, most in highest.items():
        if found.get(name, most) > most:
            found[name] = most
            notes.append(
                gettext("%(label)s: lowered to %(most)s, the most here.")
                % {"label": numbers.NUMBERS[name].label, "most": f"{most:,.15g}"}
            )
    return dict(found)


def _model(found: Any, user: User, notes: list[str]) -> LanguageModel | None:
    if found is None:
        return None
    if not isinstance(found, str):
        raise Rejected(gettext("model: write the id of a model, or null."))
    model = LanguageModel.objects.for_user(user).filter(name=found).first()
    if model is None:
        notes.append(
            gettext(
                "The model %(found)s is not available here; the assistant works with any model."
            )
            % {"found": found[:80]}
        )
    return model


def _unknown(preset: Preset, user: AnyUser) -> Iterable[str]:
    servers = set(Server.objects.for_user(user).values_list("name", flat=True))
    skills = set(Skill.objects.for_user(user).values_list("name", flat=True))
    yield from _told(gettext("Tools"), absent_tools(preset, usable_tools(user)))
    yield from _told(
        gettext("Servers"), [one for one in preset.servers or () if one not in servers]
    )
    named = [one for one in preset.skills or () if not any(fnmatchcase(s, one) for s in skills)]
    yield from _told(gettext("Skills"), named)


def _told(kind: str, names: Sequence[str]) -> Iterable[str]:
    if names:
        shown = ", ".join(one[:60] for one in names[:10]) + (" …" if len(names) > 10 else "")
        yield f"{kind} that do not exist here: {shown}. They apply once they do."


def _is_pattern(name: str) -> bool:
    return any(mark in name for mark in "*?[")
