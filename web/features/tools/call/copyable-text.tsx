import { CopyButton } from '../../../ui/button/copy-button.tsx'
import { InertText } from './inert-text.tsx'

export interface CopyableTextProps {
  /** What it is: 'Arguments'. */
  readonly label: string
  readonly text: string
}

/** A text in its own lines under its name, with a button that copies it as it is. */
export function CopyableText({ label, text }: CopyableTextProps) {
  return (
    <div>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-xs font-medium text-muted">{label}</p>
        <CopyButton title={`Copy ${label.toLowerCase()}`} text={text} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls with the keyboard too */}
      <pre tabIndex={0} aria-label={label} className="tool-text">
        <InertText>{text}</InertText>
      </pre>
    </div>
  )
}
