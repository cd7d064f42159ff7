import type { ChatChange, ChatsChange } from '@yonder/contract/chat-list'
import { lazy, Suspense, use, useState, type ReactNode } from 'react'
import { useChangeChats, useShareChat } from '../../data/change-chats.ts'
import type { ListRow } from '../../data/chat-list.ts'
import { SelfServiceContext } from '../../data/self-service.ts'
import { shareAddress } from '../../data/shares.ts'
import { toast } from '../../lib/toasts.ts'
import { deliverLink } from '../sharing/deliver-link.ts'
import { ShareLinkDialog } from '../sharing/share-link-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'

const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }))

/** What a user does with chats of a list. All of it reports a failure to the user. */
export interface ChatActions {
  readonly change: (chats: ChatsChange['chats'], change: ChatChange) => void
  /** Asks for the project to which chats are moved. */
  readonly move: (chats: ChatsChange['chats']) => void
  readonly share: (chatId: string) => void
  /** Asks how a chat is exported; absent where users may not export. */
  readonly export: ((chat: ListRow) => void) | undefined
  readonly canDelete: boolean
}

/** Returns the actions, and the dialogs that they open, which must be rendered. */
export function useChatActions(): { readonly actions: ChatActions; readonly dialogs: ReactNode } {
  const change = useChangeChats()
  const { run: createShare } = useShareChat()
  const isSelfService = use(SelfServiceContext) === true
  const [moving, setMoving] = useState<ChatsChange['chats']>()
  const [exporting, setExporting] = useState<ListRow>()
  /** A link that the browser did not allow to be copied. */
  const [uncopied, setUncopied] = useState<string>()
  const actions: ChatActions = {
    change: (chats, changed) => void change({ chats, change: changed }),
    move: setMoving,
    export: isSelfService ? setExporting : undefined,
    canDelete: isSelfService,
    share: (chatId) => void share(chatId),
  }
  async function share(chatId: string): Promise<void> {
    const created = await createShare(chatId)
    if (!created.done) return
    const address = shareAddress(created.answer.shareId)
    const outcome = await deliverLink(address)
    if (outcome === 'failed') setUncopied(address)
    else if (outcome === 'copied') toast.success('Copied to clipboard!')
  }
  const dialogs = (
    <>
      {moving !== undefined && (
        <MoveDialog
          onMove={(project_id) => {
            setMoving(undefined)
            actions.change(moving, { project_id })
          }}
          onClose={() => setMoving(undefined)}
        />
      )}
      {exporting !== undefined && (
        <Suspense>
          <ExportDialog chat={exporting} onClose={() => setExporting(undefined)} />
        </Suspense>
      )}
      {uncopied !== undefined && (
        <ShareLinkDialog address={uncopied} onClose={() => setUncopied(undefined)} />
      )}
    </>
  )
  return { actions, dialogs }
}
