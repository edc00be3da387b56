"""Payloads as they are stored: exact bytes, cut into shared blobs, compressed.

- `payloads`: store and load the payloads of spans
- `drafts`: a payload that is about to be stored
- `prefixes`: what is remembered of the body before
- `manifests`: the list of blobs and gaps that a payload is made of
- `elements`: cut a JSON body at the elements of its lists
- `compression`: zstd frames
- `typical_texts`: their dictionaries
- `bases`: blobs that are compressed with another one
- `chunks`: arrival times of the chunks of a response
- `varints`: variable-length integers
- `ranges`: read a range of a payload
- `encodings`: decompress a body by its headers
"""
