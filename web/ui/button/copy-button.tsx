import { Check, Copy } from 'lucide-react'
import { IconButton } from './icon-button.tsx'
import { useCopied } from './use-copied.ts'

export interface CopyButtonProps {
  /** What it copies, as its title: 'Copy message'. */
  readonly title: string
  readonly text: string
  readonly className?: string
}

/** A button that copies a text; its title says 'Copied!' for two seconds. */
export function CopyButton({ title, text, className }: CopyButtonProps) {
  const [copied, copy] = useCopied()
  const name = copied ? 'Copied!' : title
  return (
    <IconButton label={name} title={name} size="small" className={className} onClick={() => void copy(text)}>
      {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
    </IconButton>
  )
}
