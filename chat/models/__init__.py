"""Conversations, messages and turns; providers and models; presets and skills; playgrounds;
personal settings; imports, feedback and shared links.

A conversation is a tree of messages; a turn leads from one user message to the answer. What a turn
did on its way, and what it needs to go on after a crash, are the spans of its trace.
"""

from chat.models.agent import Preset, PresetQuerySet, Shipped, Skill
from chat.models.conversations import Conversation, ConversationQuerySet
from chat.models.drafts import Draft, DraftQuerySet
from chat.models.feedback import Feedback
from chat.models.finding import Tag, UnindexedText
from chat.models.group_shares import ConversationShare, own_or_shared
from chat.models.messages import Attachment, AttachmentQuerySet, Compaction, Message
from chat.models.personal import Fact, FactQuerySet, PersonalSettings
from chat.models.placement import ToolsMachine, WorkspacePlace, WorkspaceRemoval
from chat.models.playground import (
    Playground,
    PlaygroundQuerySet,
    PlaygroundRun,
)
from chat.models.projects import (
    Project,
    ProjectFile,
    ProjectFileQuerySet,
    ProjectQuerySet,
    name_in_workspace,
)
from chat.models.prompts import PromptTemplate, PromptTemplateQuerySet
from chat.models.providers import (
    CassetteFile,
    LanguageModel,
    LanguageModelQuerySet,
    Provider,
)
from chat.models.questions import Question, QuestionQuerySet
from chat.models.quotas import QuotaRule
from chat.models.retrieval import (
    Passage,
    SearchedFile,
    SearchedFileQuerySet,
    UnindexedFile,
)
from chat.models.sharing import SharedFile, SharedLink, SharedLinkQuerySet
from chat.models.transfer import AccountDeletion, DataArchive, Import, Origin
from chat.models.turns import (
    COUNTED_USER,
    Turn,
    TurnQuerySet,
    of_owner_or_author,
)
from chat.models.webhooks import Webhook, WebhookDelivery, WebhookQuerySet

__all__ = [
    "COUNTED_USER",
    "AccountDeletion",
    "Attachment",
    "AttachmentQuerySet",
    "CassetteFile",
    "Compaction",
    "Conversation",
    "ConversationQuerySet",
    "ConversationShare",
    "DataArchive",
    "Draft",
    "DraftQuerySet",
    "Fact",
    "FactQuerySet",
    "Feedback",
    "Import",
    "LanguageModel",
    "LanguageModelQuerySet",
    "Message",
    "Origin",
    "Passage",
    "PersonalSettings",
    "Playground",
    "PlaygroundQuerySet",
    "PlaygroundRun",
    "Preset",
    "PresetQuerySet",
    "Project",
    "ProjectFile",
    "ProjectFileQuerySet",
    "ProjectQuerySet",
    "PromptTemplate",
    "PromptTemplateQuerySet",
    "Provider",
    "Question",
    "QuestionQuerySet",
    "QuotaRule",
    "SearchedFile",
    "SearchedFileQuerySet",
    "SharedFile",
    "SharedLink",
    "SharedLinkQuerySet",
    "Shipped",
    "Skill",
    "Tag",
    "ToolsMachine",
    "Turn",
    "TurnQuerySet",
    "UnindexedFile",
    "UnindexedText",
    "Webhook",
    "WebhookDelivery",
    "WebhookQuerySet",
    "WorkspacePlace",
    "WorkspaceRemoval",
    "name_in_workspace",
    "of_owner_or_author",
    "own_or_shared",
]
