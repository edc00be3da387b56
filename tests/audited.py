"""What changes something, and what of it the audit log has: a line for every address that takes a
POST, with the actions that it records, or with the reason why there is none.

The admin's pages are recorded by themselves (`config.admin_site`), and what programs change by
`/api` and `/mcp` is recorded by the commands that the pages call too.
"""

from audit.models import Action

OWN = "what is a person's own, and nobody else sees"
CONTENT = "what is said in conversations, which traces have"
NOTHING = "changes nothing that lasts"
CHECK = "a test of what is there, which is kept with it"
COMMANDS = "leads to commands, which record"
SIGN_IN = (Action.SIGNED_IN, Action.FAILED, Action.THROTTLED)

Line = str | tuple[Action, ...]


def _all(names: str, line: Line) -> dict[str, Line]:
    return dict.fromkeys(names.split(), line)


LINES: dict[str, Line] = {
    **_all("set_language settings:theme settings:keep settings:memory", OWN),
    **_all("settings:add_fact settings:erase_facts settings:fact settings:erase_fact", OWN),
    "settings:end_sessions": OWN,
    "settings:make_token": (Action.TOKEN_MADE,),
    "settings:revoke_token": (Action.TOKEN_REVOKED,),
    "settings:disconnect_program": (Action.PROGRAM_DISCONNECTED,),
    **_all("rest:operation openai:chat_completions openai:responses openai:cancel", COMMANDS),
    **_all("openai:models openai:model openai:response openai:nothing", NOTHING),
    "programs:authorize": (Action.PROGRAM_ALLOWED,),
    "programs:token": (Action.PROGRAM_TOKEN_REUSED,),
    "programs:register": "a program's name, which means nothing until a person allows it",
    "programs:revoke": (Action.PROGRAM_DISCONNECTED,),
    # Signing in, and one's account.
    "account_login": SIGN_IN,
    "account_logout": (Action.SIGNED_OUT,),
    "account_signup": (Action.SIGNED_IN,),
    "account_invitation": (Action.INVITATION_ACCEPTED,),
    **_all("mfa_authenticate mfa_login_webauthn", SIGN_IN[:1]),
    **_all("account_change_password account_set_password", (Action.PASSWORD_CHANGED,)),
    "account_reset_password": "a message to the person, who then changes the password",
    "account_reset_password_from_key": (Action.PASSWORD_CHANGED,),
    **_all("mfa_activate_totp mfa_add_webauthn", (Action.FACTOR_ADDED,)),
    **_all("mfa_deactivate_totp mfa_remove_webauthn", (Action.FACTOR_REMOVED,)),
    "mfa_edit_webauthn": OWN,
    "mfa_generate_recovery_codes": (Action.RECOVERY_CODES_MADE,),
    **_all("account_inactive account_reset_password_done", NOTHING),
    **_all("account_reset_password_from_key_done mfa_download_recovery_codes", NOTHING),
    **_all("account_reauthenticate mfa_reauthenticate mfa_reauthenticate_webauthn", NOTHING),
    "oidc_link": (Action.ACCOUNT_LINKED,),
    "oidc_unlink": (Action.ACCOUNT_UNLINKED,),
    # People.
    "people:invitations": (Action.INVITED,),
    "people:revoke_invitation": (Action.INVITATION_REVOKED,),
    "people:role": (Action.ROLE_CHANGED,),
    "people:groups": (Action.GROUPS_CHANGED,),
    "people:activity": (Action.ACCOUNT_DEACTIVATED, Action.ACCOUNT_ACTIVATED),
    "people:end_sessions": (Action.SESSIONS_ENDED,),
    "people:link": (Action.SIGN_IN_LINK_MADE,),
    "people:remove_factors": (Action.FACTOR_REMOVED,),
    "people:ask_archive": (Action.DATA_EXPORTED,),
    "people:transfer": (Action.ACCOUNT_TRANSFERRED,),
    "people:delete": (Action.ACCOUNT_DELETED,),
    "usage:keep": (Action.LIMIT_SET,),
    "usage:remove": (Action.LIMIT_REMOVED,),
    # What is given to others, and taken back.
    **_all("assistants:create assistants:import assistants:duplicate", OWN),
    "assistants:edit": (Action.CHANGED,),
    "assistants:publish": (Action.PUBLISHED, Action.UNPUBLISHED),
    "assistants:delete": (Action.DELETED,),
    **_all("prompts:create prompts:import", OWN),
    "prompts:edit": (Action.CHANGED,),
    "prompts:delete": (Action.DELETED,),
    "prompts:share": (Action.PUBLISHED, Action.UNPUBLISHED),
    "prompts:fill": NOTHING,
    "skills:scan": NOTHING,
    "skills:choice_of": OWN,
    "skills:add": (Action.ADDED,),
    "skills:switch": (Action.SWITCHED,),
    "skills:give": (Action.GIVEN,),
    "skills:remove": (Action.DELETED,),
    "chat:share": (Action.LINK_MADE,),
    "chat:share_trace": NOTHING,
    "chat:groups": (Action.SHARED_WITH_GROUP, Action.GROUP_SHARE_ENDED),
    "shared:copy": OWN,
    "settings:revoke_links": (Action.LINK_REVOKED,),
    "settings:revoke_link": (Action.LINK_REVOKED,),
    "webhooks:index": (Action.WEBHOOK_ADDED,),
    "webhooks:webhook": (Action.WEBHOOK_CHANGED,),
    "webhooks:rotate": (Action.WEBHOOK_CHANGED,),
    "webhooks:delete": (Action.WEBHOOK_DELETED,),
    **_all("webhooks:test webhooks:send_again", CHECK),
    # Models.
    "providers:create": (Action.ADDED,),
    "providers:create_cassette": (Action.ADDED,),
    "providers:edit": (Action.CHANGED,),
    "providers:delete": (Action.DELETED,),
    "providers:list": CHECK,
    "providers:add": (Action.ADDED,),
    "providers:create_model": (Action.ADDED,),
    "providers:edit_model": (Action.CHANGED,),
    **_all("providers:test providers:probe", CHECK),
    "providers:default": (Action.CHANGED,),
    "providers:offer": (Action.SWITCHED,),
    "providers:move": (Action.CHANGED,),
    "providers:delete_model": (Action.DELETED,),
    # Servers and tools.
    "tools:register": (Action.ADDED,),
    "tools:import": (Action.ADDED,),
    "tools:edit": (Action.CHANGED,),
    "tools:delete": (Action.DELETED,),
    "tools:change_built_in": (Action.SWITCHED,),
    "tools:change_tools": (Action.CHANGED,),
    "tools:approve": (Action.TOOLS_APPROVED,),
    **_all("tools:try_connection tools:test tools:try_tool", CHECK),
    **_all("tools:connect tools:cancel_connect tools:disconnect", OWN),
    # Data.
    "transfer:export_all": (Action.CONVERSATIONS_EXPORTED,),
    "transfer:upload": "a preview; what is imported is recorded when it is",
    "transfer:import_begin": (Action.IMPORTED,),
    "transfer:import_cancel": OWN,
    "data:archive_ask": (Action.DATA_EXPORTED,),
    "data:delete_account": (Action.ACCOUNT_DELETION_ASKED,),
    "tracing:list_delete": (Action.TRACES_DELETED,),
    "tracing:list_export": (Action.TRACES_EXPORTED,),
    "tracing:list_cassette": (Action.TRACES_EXPORTED,),
    **_all("fork:round prompt:page walkthrough cassette", NOTHING),
    # Conversations, which have traces of their own.
    **_all("chat:rename chat:delete chat:conversation_draft chat:draft chat:file_upload", CONTENT),
    **_all("chat:file_remove chat:branch chat:compact chat:own chat:keep chat:leave", CONTENT),
    **_all("chat:conversation_tools chat:assistant chat:limits chat:tools", CONTENT),
    **_all("chat:organise chat:choose chat:queued_edit chat:queued_move chat:queued_now", CONTENT),
    **_all("chat:queued_steer chat:queued_withdraw chat:turn_delete chat:turn_restore", CONTENT),
    **_all("chat:feedback chat:offer_ask chat:offer_take chat:attachments", CONTENT),
    **_all("chat:attachment_remove chat:dismiss_first_steps", CONTENT),
    **_all("playground:create playground:draft playground:run playground:delete", CONTENT),
    "playground:stop": CONTENT,
    **_all("projects:create projects:details projects:instructions projects:archive", OWN),
    **_all("projects:delete projects:upload projects:replace projects:remove", OWN),
}
