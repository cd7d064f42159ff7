import type { ResultImage as Image, ResultPart as Part } from '@yonder/contract/tool-call'
import { ExternalLink } from 'lucide-react'
import useSWRImmutable from 'swr/immutable'
import { Skeleton } from '../../../ui/states/progress.tsx'
import { InertText } from './inert-text.tsx'

export interface ResultPartProps {
  readonly part: Part
  /** The path of the image, if the part is an image. */
  readonly imagePath: string
}

/** A part of a tool's result. Texts are shown as plain text; an image is part of the result, never loaded from another site. */
export function ResultPart({ part, imagePath }: ResultPartProps) {
  switch (part.type) {
    case 'text':
    case 'json':
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls with the keyboard too
        <pre tabIndex={0} aria-label="Result" className="tool-text">
          <InertText>{part.text}</InertText>
        </pre>
      )
    case 'image':
      return <ResultImage path={imagePath} />
    case 'link':
      return <ResultLink uri={part.uri} name={part.name} />
    case 'note':
      return (
        <p dir="auto" className="text-sm text-muted">
          <InertText>{part.text}</InertText>
        </p>
      )
  }
}

/** A link, shown with its whole address. Only an http(s) address can be opened. */
function ResultLink({ uri, name }: { readonly uri: string; readonly name: string }) {
  const address = (
    <span className="text-xs wrap-anywhere">
      <InertText>{uri}</InertText>
    </span>
  )
  return (
    <p className="flex flex-col items-start text-sm">
      {name !== uri && (
        <bdi className="font-medium wrap-anywhere">
          <InertText>{name}</InertText>
        </bdi>
      )}
      {/^https?:\/\//i.test(uri) && URL.canParse(uri) ? (
        <a
          href={uri}
          target="_blank"
          rel="noopener noreferrer"
          className="inline-flex min-w-0 items-center gap-1.5 text-accent underline underline-offset-4"
        >
          {address}
          <ExternalLink size={14} aria-hidden className="shrink-0" />
        </a>
      ) : (
        <span className="text-muted">{address}</span>
      )}
    </p>
  )
}

const imageTypes = /^image\/(png|jpeg|gif|webp)$/

/** An image of a result. It is loaded when it is shown, and only once, because it never changes. */
function ResultImage({ path }: { readonly path: string }) {
  const { data: image, error } = useSWRImmutable<Image, Error>(path)
  if (error !== undefined) return <p className="text-sm text-muted">The image could not be loaded.</p>
  if (image === undefined)
    return (
      <span className="block h-40 w-full">
        <Skeleton />
      </span>
    )
  return imageTypes.test(image.mimeType) ? (
    <img
      src={`data:${image.mimeType};base64,${image.data}`}
      alt="Result of the tool"
      className="tool-image"
    />
  ) : null
}
