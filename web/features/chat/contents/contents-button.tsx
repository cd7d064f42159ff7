import { TableOfContents } from 'lucide-react'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { IntoHeader } from '../../../ui/header-slot.tsx'

export interface ContentsButtonProps {
  readonly isOpen?: boolean
  /** Absent while the chat loads: the disabled button keeps its place, so that the logo beside it does not move. */
  readonly onOpen?: () => void
}

/** Opens the contents of a chat on small screens (§2.15). */
export function ContentsButton({ isOpen = false, onOpen }: ContentsButtonProps) {
  return (
    <IntoHeader>
      {/* The span is hidden and not only the button, since an empty span would leave a gap in the header. */}
      <span className="inline-flex lg:hidden">
        <IconButton
          label="Contents"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          disabled={onOpen === undefined}
          onClick={onOpen}
        >
          <TableOfContents size={18} aria-hidden />
        </IconButton>
      </span>
    </IntoHeader>
  )
}
