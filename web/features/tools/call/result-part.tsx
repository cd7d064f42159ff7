import type { ResultPart as Part } from '@yonder/contract/tool-call'
import { ExternalLink } from 'lucide-react'
import { InertText } from './inert-text.tsx'
import { ResultImage } from './result-image.tsx'

export interface ResultPartProps {
  readonly part: Part
  /** Where the server keeps the picture, if it is one. */
  readonly imageAddress: string
}

/** A piece of a tool's result. Its texts are shown as they are; a picture comes from the result itself, never from a site. */
export function ResultPart({ part, imageAddress }: ResultPartProps) {
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
      return <ResultImage address={imageAddress} />
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

/** A link shows where it leads, whole; only an address of the web can be followed. */
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
