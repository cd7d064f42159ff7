import type { ListRow } from '../../data/chat-list.ts'
import type { MenuPlace } from '../../ui/menu/popup-menu.tsx'
import { useChatActions } from './chat-actions.tsx'
import { ChatMenu } from './chat-menu.tsx'
import { TitleInput } from './title-input.tsx'

export interface TitleMenuProps {
  readonly chat: ListRow
  /** Undefined while the menu is closed. */
  readonly at: MenuPlace | undefined
  readonly isRenaming: boolean
  readonly onClose: (byUser: boolean) => void
  readonly onRename: () => void
  readonly onRenamed: (byKey: boolean) => void
}

/** The menu of the open chat, the dialogs that it opens, and the input for another title. */
export function TitleMenu({ chat, at, isRenaming, onClose, onRename, onRenamed }: TitleMenuProps) {
  const { actions, dialogs } = useChatActions()
  return (
    <>
      {isRenaming && (
        <div className="h-8 w-80">
          <TitleInput
            title={chat.title}
            onEnd={(title, byKey) => {
              onRenamed(byKey)
              if (title !== undefined) actions.change([chat.id], { title })
            }}
          />
        </div>
      )}
      {at !== undefined && (
        <ChatMenu chat={chat} at={at} actions={actions} onClose={onClose} onRename={onRename} />
      )}
      {dialogs}
    </>
  )
}
