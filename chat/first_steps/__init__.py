"""What one can do next on a new deployment: three lines above the starters of the empty home.

    steps        the three, with the state of each, and who can do them
    local_model  whether the model that the supervisor runs answers
    views        the part of the page, and leaving it out from now on

The page of who has done or dismissed them (`PersonalSettings.has_begun`) has neither the part nor
its script. On others the script fetches it, so that the page itself needs no query for it.
"""
