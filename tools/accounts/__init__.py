"""People's accounts at servers, connected by OAuth.

connections  whether a user's account is connected, and disconnecting it
sessions     the configuration that signs a session in as a user; where its tokens are stored
sign_ins     the job of a sign-in: asked for, the browser's return, cancelled
signing_in   the sign-in itself, in the `tools` worker
views, urls  the pages, and the address that an authorization server sends the browser to
"""
