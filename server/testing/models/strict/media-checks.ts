import { firstOf, refuse, type Refusal } from './refusal.ts'

/** A picture or document of a request, whatever the form of its provider. */
export interface WireMedia {
  readonly kind: 'picture' | 'document'
  readonly mediaType: string
  readonly data: string
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Reads a data URL. One that is none has no type and no data, so `checkMedia` refuses it. */
export function readDataUrl(kind: WireMedia['kind'], url: unknown): WireMedia {
  const [, mediaType = '', data = ''] = /^data:([^;,]*);base64,(.*)$/.exec(String(url)) ?? []
  return { kind, mediaType, data }
}

/** Refuses media of other types than the provider takes, what is no base64, and too many pictures. */
export function checkMedia(
  media: readonly WireMedia[],
  maxPictures: number,
  types: readonly string[] = pictureTypes,
): Refusal | undefined {
  const pictures = media.filter(({ kind }) => kind === 'picture')
  if (pictures.length > maxPictures)
    return refuse('mediaCount', `At most ${maxPictures} image(s) may be provided in one request.`)
  return firstOf(media, ({ kind, mediaType, data }) => {
    if (!(kind === 'picture' ? types : ['application/pdf']).includes(mediaType))
      return refuse('mediaForm', `Unsupported MIME type: ${mediaType}`)
    return data !== '' && Buffer.from(data, 'base64').toString('base64') === data
      ? undefined
      : refuse('mediaForm', 'Invalid base64 image_url.')
  })
}
