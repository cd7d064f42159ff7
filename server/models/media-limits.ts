import type { ApiType } from '@yonder/contract/bot'
import type { MediaPart } from './model.ts'

/** What a provider takes in a request. Sizes are in bytes. */
export interface MediaLimits {
  readonly types: readonly MediaPart['mediaType'][]
  /** Pictures in a request. */
  readonly pictures: number
  /** Of one picture, before it is written in base64. */
  readonly pictureBytes: number
  /** Pixels of the longer side of a picture. */
  readonly pictureSide: number
  /** Pages of all PDFs in a request. */
  readonly pdfPages: number
  /** Of all pictures and PDFs in a request, in base64. Most limits of requests are higher: text is beside them. */
  readonly totalBytes: number
}

const MB = 1024 * 1024

/**
 * At most as many pictures are sent again with each message. Most providers take more, but every one costs its tokens
 * each time, and with more than 20 Anthropic refuses those of over 2000 pixels.
 */
const maxPictures = 20

const allTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'] as const

/**
 * - `openai`, `openai-responses`: 500 pictures and 50 MB a request, a picture up to 20 MB (developers.openai.com
 *   images-vision, gptpdf#6: two values, the lower one counts); PDFs of 100 pages and 32 MB (pdf-files, 2025; later 50 MB).
 * - `anthropic`: 100 pictures (600 for models with a long context), 5 MB of base64 for one, 8000 pixels, 32 MB a request,
 *   100 pages (platform.claude.com vision, pdf-support; gptme#185; claude-code#6231).
 * - `google`: 3,600 pictures, no GIF, 20 MB a request with inline data, PDFs of 1,000 pages (ai.google.dev
 *   image-understanding, document-processing; vscode#286628).
 */
const limitsOfTypes: Readonly<Record<ApiType, MediaLimits>> = {
  openai: {
    types: allTypes,
    pictures: maxPictures,
    pictureBytes: 20 * MB,
    pictureSide: Infinity,
    pdfPages: 100,
    totalBytes: 40 * MB,
  },
  'openai-responses': {
    types: allTypes,
    pictures: maxPictures,
    pictureBytes: 20 * MB,
    pictureSide: Infinity,
    pdfPages: 100,
    totalBytes: 40 * MB,
  },
  anthropic: {
    types: allTypes,
    pictures: maxPictures,
    pictureBytes: 3.75 * MB,
    pictureSide: 8_000,
    pdfPages: 100,
    totalBytes: 30 * MB,
  },
  google: {
    types: allTypes.filter((type) => type !== 'image/gif'),
    pictures: maxPictures,
    pictureBytes: 18 * MB,
    pictureSide: Infinity,
    pdfPages: 1_000,
    totalBytes: 18 * MB,
  },
}

/** Providers of chat completions with lower limits. */
const limitsOfHosts: readonly { readonly host: RegExp; readonly limits: Partial<MediaLimits> }[] = [
  // console.groq.com/docs/vision
  { host: /(?:^|\.)groq\.com$/, limits: { pictures: 5, pictureBytes: 3 * MB, totalBytes: 4 * MB } },
  // docs.mistral.ai vision
  { host: /(?:^|\.)mistral\.ai$/, limits: { pictures: 8, pictureBytes: 10 * MB } },
  // docs.x.ai image-understanding
  { host: /(?:^|\.)x\.ai$/, limits: { types: ['image/png', 'image/jpeg'] } },
  // docs.aws.amazon.com conversation-inference
  { host: /(?:^|\.)amazonaws\.com$/, limits: { pictureBytes: 3.75 * MB, pictureSide: 8_000 } },
]

/** The limits of requests to an address; null is that of the built-in demo model. */
export function mediaLimitsOf(apiType: ApiType, address: string | null): MediaLimits {
  const host = address !== null && URL.canParse(address) ? new URL(address).hostname : ''
  const own = limitsOfHosts.find((one) => one.host.test(host))
  return { ...limitsOfTypes[apiType], ...own?.limits }
}

/** A picture or a PDF that may be sent. */
export interface MediaSize {
  readonly mediaType: MediaPart['mediaType']
  /** Before it is written in base64. */
  readonly bytes: number
  /** Of a picture, in pixels, where they are known. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  /** Of a PDF, where they are known. */
  readonly pages?: number | undefined
}

const isPdf = ({ mediaType }: MediaSize) => mediaType === 'application/pdf'

/** Says why a provider takes a file in no request, as a sentence without its subject; undefined when it takes it. */
export function findMediaProblem(media: MediaSize, limits: MediaLimits): string | undefined {
  const { mediaType, bytes, width = 0, height = 0, pages = 0 } = media
  if (!limits.types.includes(mediaType))
    return `is of the type ${mediaType}, which the provider does not take`
  const maxBytes = isPdf(media) ? Math.floor(limits.totalBytes * 0.75) : limits.pictureBytes
  if (bytes > maxBytes)
    return `is larger than the ${formatMegabytes(maxBytes)} that the provider takes in one file`
  if (Math.max(width, height) > limits.pictureSide)
    return `is larger than the ${limits.pictureSide.toLocaleString('en')} pixels that the provider takes on a side`
  if (pages > limits.pdfPages)
    return `has more than the ${limits.pdfPages.toLocaleString('en')} pages that the provider takes`
  return undefined
}

function formatMegabytes(bytes: number): string {
  return `${Number((bytes / MB).toFixed(2)).toLocaleString('en')} MB`
}

/**
 * Chooses which pictures and PDFs are sent. `newestFirst` are those of the conversation. What a provider takes in no
 * request is left out, and from the first one that does not fit beside the newer ones all older ones of its kind, so that
 * no picture in the middle of a chat is missing. What is not chosen stands as its name.
 */
export function chooseMedia<Media extends MediaSize>(
  newestFirst: readonly Media[],
  limits: MediaLimits,
): ReadonlySet<Media> {
  const chosen = new Set<Media>()
  const left = { pictures: limits.pictures, pages: limits.pdfPages, bytes: limits.totalBytes }
  const isFull = { picture: false, pdf: false }
  for (const media of newestFirst) {
    const kind = isPdf(media) ? 'pdf' : 'picture'
    if (isFull[kind] || findMediaProblem(media, limits) !== undefined) continue
    const takes = {
      pictures: kind === 'picture' ? 1 : 0,
      pages: kind === 'pdf' ? (media.pages ?? 1) : 0,
      bytes: Math.ceil(media.bytes / 3) * 4,
    }
    const fits = (['pictures', 'pages', 'bytes'] as const).every((unit) => takes[unit] <= left[unit])
    if (!fits) {
      isFull[kind] = true
      continue
    }
    chosen.add(media)
    for (const unit of ['pictures', 'pages', 'bytes'] as const) left[unit] -= takes[unit]
  }
  return chosen
}
