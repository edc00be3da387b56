from django.urls import include, path

from chat import branch_views, group_views, queue_views, views
from chat.attachments import offered_views
from chat.attachments import views as attachments
from chat.attachments.file_text import file_text
from chat.compaction_views import compact
from chat.drafts.views import draft
from chat.feedback import views as feedback
from chat.first_steps import views as first_steps
from chat.listing import views as listing
from chat.mentions import mentions
from chat.personal import of_conversation
from chat.presets import choosing
from chat.reading import figures, image_views, previews
from chat.result_views import result_media
from chat.sharing import views as sharing
from chat.trace_views import branch, live_turn

app_name = "chat"
urlpatterns = [
    path("", views.home, name="home"),
    path("c/<uuid:public_id>/", views.conversation, name="conversation"),
    path("c/<uuid:public_id>/thread", views.thread_partial, name="thread"),
    path("c/<uuid:public_id>/foot", queue_views.thread_foot, name="thread_foot"),
    path("c/<uuid:public_id>/rename", views.rename, name="rename"),
    path("c/<uuid:public_id>/delete", views.delete, name="delete"),
    path("c/<uuid:public_id>/files/", include("chat.files.urls")),
    path("files/text/<uuid:public_id>/", file_text, name="file_text"),
    path("c/<uuid:public_id>/branch", branch_views.switch, name="branch"),
    path("c/<uuid:public_id>/find", listing.find, name="find"),
    path("c/<uuid:public_id>/compact", compact, name="compact"),
    path("c/<uuid:public_id>/own", of_conversation.own, name="own"),
    path("c/<uuid:public_id>/keep", of_conversation.keep, name="keep"),
    path("c/<uuid:public_id>/leave", of_conversation.leave, name="leave"),
    path("c/<uuid:public_id>/share", sharing.share, name="share"),
    path("c/<uuid:public_id>/share/trace/<int:number>", sharing.share_trace, name="share_trace"),
    path(
        "c/<uuid:public_id>/share/attachments/<uuid:key>",
        sharing.share_attachment,
        name="share_attachment",
    ),
    path("c/<uuid:public_id>/links/<uuid:link_id>", sharing.shared_link, name="shared_link"),
    path("c/<uuid:public_id>/draft", draft, name="conversation_draft"),
    path("draft", draft, name="draft"),
    path("c/<uuid:public_id>/mentions", mentions, name="conversation_mentions"),
    path("mentions", mentions, name="mentions"),
    path("c/<uuid:public_id>/tools", views.tools, name="conversation_tools"),
    path("c/<uuid:public_id>/assistant", choosing.assistant, name="assistant"),
    path("c/<uuid:public_id>/limits", choosing.limits, name="limits"),
    path("c/<uuid:public_id>/groups", group_views.groups, name="groups"),
    path("tools", views.tools, name="tools"),
    path("conversations", views.conversation_list, name="conversations"),
    path("conversations/act", listing.act, name="organise"),
    path("conversations/tags", listing.tags, name="tags"),
    path("search", listing.search, name="search"),
    path("turns/<uuid:public_id>/", views.turn, name="turn"),
    path("results/<uuid:span_id>/<int:index>", result_media, name="result_media"),
    path("turns/<uuid:public_id>/branch", branch.branch, name="turn_branch"),
    path("turns/<uuid:public_id>/regenerate", branch_views.regenerate, name="regenerate"),
    path("turns/<uuid:public_id>/choose", branch_views.choose, name="choose"),
    path("compare", branch_views.compare, name="compare"),
    path("turns/<uuid:public_id>/queue/edit", queue_views.edit, name="queued_edit"),
    path("turns/<uuid:public_id>/queue/move", queue_views.move, name="queued_move"),
    path("turns/<uuid:public_id>/queue/now", queue_views.send_now, name="queued_now"),
    path("turns/<uuid:public_id>/queue/steer", queue_views.steer, name="queued_steer"),
    path("turns/<uuid:public_id>/queue/withdraw", queue_views.withdraw, name="queued_withdraw"),
    path("turns/<uuid:public_id>/delete", queue_views.delete, name="turn_delete"),
    path("turns/<uuid:public_id>/restore", queue_views.restore, name="turn_restore"),
    path("turns/<uuid:public_id>/feedback", feedback.rate, name="feedback"),
    path("turns/<uuid:public_id>/running", live_turn.running, name="turn_running"),
    path("first-steps", first_steps.show, name="first_steps"),
    path("first-steps/dismiss", first_steps.dismiss, name="dismiss_first_steps"),
    path("offers", offered_views.offers, name="offers"),
    path("offers/ask", offered_views.ask, name="offer_ask"),
    path("offers/<uuid:public_id>/take", offered_views.take, name="offer_take"),
    path("c/<uuid:public_id>/figures", figures.figures, name="figures"),
    path("preview", previews.preview, name="preview"),
    path("image", image_views.remote_image, name="remote_image"),
    path("attachments/", attachments.upload, name="attachments"),
    path("attachments/<uuid:public_id>", attachments.content, name="attachment"),
    path("attachments/<uuid:public_id>/preview", attachments.preview, name="attachment_preview"),
    path("attachments/<uuid:public_id>/remove", attachments.remove, name="attachment_remove"),
    path("messages/<uuid:public_id>/text", views.message_text, name="message_text"),
]
