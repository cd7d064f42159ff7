import { Printer, TextSearch } from 'lucide-react'
import { IconButton } from '../../../ui/button/icon-button.tsx'

export interface ChatToolsProps {
  readonly onFind: () => void
  readonly onPrint: () => void
}

/** What can be done with the whole of a chat that is read. */
export function ChatTools({ onFind, onPrint }: ChatToolsProps) {
  return (
    <span className="flex gap-0.5">
      <IconButton label="Find in this chat" shortcut="mod+f" size="small" onClick={onFind}>
        <TextSearch size={16} aria-hidden />
      </IconButton>
      <IconButton label="Print" shortcut="mod+p" size="small" onClick={onPrint}>
        <Printer size={16} aria-hidden />
      </IconButton>
    </span>
  )
}
