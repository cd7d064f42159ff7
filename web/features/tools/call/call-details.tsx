import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import type { ResultImage as Image, ResultPart as Part } from '@yonder/contract/tool-call'
import { ExternalLink } from 'lucide-react'
import useSWRImmutable from 'swr/immutable'
import { CopyButton } from '../../../ui/button/copy-button.tsx'
import { indentJson } from './indent-json.ts'
import { InertText } from '../../../ui/inert-text.tsx'
import { Skeleton } from '../../../ui/states/progress.tsx'

export interface CallDetailsProps {
  readonly chatId: string
  readonly message: Message
  readonly result: Message | undefined
}

/** The exact arguments of a call, and its result (§13.2). */
export function CallDetails({ chatId, message, result }: CallDetailsProps) {
  const { tool = '', call, arguments: args = '{}' } = message
  return (
    <>
      {call?.title !== undefined && call.title !== tool && (
        <p className="text-xs text-muted">
          Tool:{' '}
          <code className="font-mono text-ink wrap-anywhere">
            <InertText>{tool}</InertText>
          </code>
        </p>
      )}
      {['', '{}'].includes(args.replaceAll(/\s+/g, '')) ? (
        <p className="text-xs text-muted">No arguments</p>
      ) : (
        <CopyableText label="Arguments" text={indentJson(args)} />
      )}
      {result !== undefined && <CallResult chatId={chatId} result={result} />}
    </>
  )
}

interface CopyableTextProps {
  /** The name of the text, for example 'Arguments'. */
  readonly label: string
  readonly text: string
}

/** A text with its line breaks, and a button that copies it. */
function CopyableText({ label, text }: CopyableTextProps) {
  return (
    <div>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">{label}</p>
        <CopyButton title={`Copy ${label.toLowerCase()}`} text={text} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard can scroll a long text */}
      <pre tabIndex={0} aria-label={label} className="tool-text">
        <InertText>{text}</InertText>
      </pre>
    </div>
  )
}

function CallResult({ chatId, result }: { readonly chatId: string; readonly result: Message }) {
  const text = textOfContent(result.content)
  const parts: readonly Part[] = result.outcome?.parts ?? [{ type: 'text', text }]
  return (
    <div>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">Result</p>
        {text !== '' && <CopyButton title="Copy result" text={text} />}
      </div>
      <div className="flex flex-col gap-2">
        {parts.length === 0 && <p className="text-sm text-muted">The tool returned nothing.</p>}
        {parts.map((part, index) => (
          <ResultPart
            // oxlint-disable-next-line react/no-array-index-key -- a result never changes
            key={index}
            part={part}
            imagePath={`/api/chats/${encodeURIComponent(chatId)}/images/${encodeURIComponent(result.id)}/${index}`}
          />
        ))}
      </div>
    </div>
  )
}

interface ResultPartProps {
  readonly part: Part
  /** The path of the image, if the part is an image. */
  readonly imagePath: string
}

/**
 * A part of a tool's result. Texts are shown as plain text. Images are loaded from the server, never from another site.
 */
function ResultPart({ part, imagePath }: ResultPartProps) {
  switch (part.type) {
    case 'text':
    case 'json':
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard can scroll a long text
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

/** An image of a result. It is loaded only once, because it never changes. */
function ResultImage({ path }: { readonly path: string }) {
  const { data: image, error } = useSWRImmutable<Image, Error>(path)
  if (error !== undefined)
    return <p className="text-sm text-muted">The image could not be loaded. Reload the page to try again.</p>
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
