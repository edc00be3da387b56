"""Read-only links to conversations, for others.

policy       who may share with whom, and for how long: the operator says
choices      what a person chose to share
branches     the turns of a link, from the first one
secret_texts finds secrets in what is shared, and masks them
document     what is shared, as a JSON value without anything hidden; the only thing that pages read
shapes       the types of that value
traces       the rounds of a turn with their four stages, for the document
shown        the document as view models, with HTML
files        attachments and images of results
links        making, finding and revoking links
throttle     limits guesses of addresses
copying      a conversation of one's own with what a link shows
section      the section of the settings
views        preview, making and revoking; `public_views`: what others open
"""
