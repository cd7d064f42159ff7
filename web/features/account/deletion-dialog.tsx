import type { AccountContents } from '@yonder/contract/account'
import { Download } from 'lucide-react'
import { useState, type MouseEvent } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import { useAccountContents } from '../../data/account.ts'
import { formatCount } from '../../lib/format-usage.ts'
import { Button } from '../../ui/button/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'

export interface DeletionDialogProps {
  /** Why the dialog is shown again. */
  readonly problem: string | undefined
  readonly isSignInRecent: boolean
  /** Goes on to the next step, or to the sign-in. */
  readonly onProceed: () => Promise<void>
  readonly onClose: () => void
}

/** The first step: says what is deleted, and offers to export it. The focus starts on Cancel. */
export function DeletionDialog({ problem, isSignInRecent, onProceed, onClose }: DeletionDialogProps) {
  const { data } = useAccountContents()
  const [busy, setBusy] = useState(false)
  const proceed = async () => {
    setBusy(true)
    await onProceed()
    setBusy(false)
  }
  return (
    <Dialog
      role="alertdialog"
      size="small"
      title="Delete Account"
      description="This deletes for good:"
      onClose={onClose}
      footer={
        <>
          <Button data-initial-focus onClick={onClose}>
            Cancel
          </Button>
          <Button busy={busy} onClick={() => void proceed()}>
            {isSignInRecent ? 'Go on' : 'Sign in again to go on'}
          </Button>
        </>
      }
    >
      <ul style={{ listStyle: 'disc' }} className="mt-2 flex flex-col gap-1 pl-5 text-sm">
        {listContents(data).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="mt-3 text-sm text-muted">
        Running replies and tools stop. This action cannot be undone. Backups that the operator of this site
        has made still hold a copy until they are deleted: ask the operator when that is.
      </p>
      <p className="mt-4 flex items-center gap-2.5 rounded-control bg-sunken px-3 py-2.5 text-sm">
        <Download size={16} aria-hidden className="shrink-0 text-muted" />
        <ExportLink onClose={onClose} />
      </p>
      {problem !== undefined && (
        <p role="alert" className="mt-3 text-sm text-danger">
          {problem}
        </p>
      )}
    </Dialog>
  )
}

/** Closes the dialog, and moves to the export on the same page. */
function ExportLink({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const show = (event: MouseEvent) => {
    event.preventDefault()
    flushSync(onClose)
    void navigate('#export')
    const target = document.getElementById('export')
    target?.scrollIntoView()
    target?.focus()
  }
  return (
    <a
      href="#export"
      onClick={show}
      className="font-medium underline decoration-line-strong underline-offset-4"
    >
      Export everything first
    </a>
  )
}

/** What is deleted, as lines. The numbers are left out until they are known. */
function listContents(contents: AccountContents | undefined): readonly string[] {
  const last = 'projects, permissions, usage and sessions'
  if (contents === undefined)
    return [
      'chats and files',
      'links to shared chats, which stop working',
      'bots, connectors and their keys',
      last,
    ]
  const { chats, files, shares, bots, connectors } = contents
  const things = [countOf(chats, 'chat'), countOf(files, 'file')].filter((text) => !text.startsWith('0 '))
  const links = countOf(shares, 'link')
  return [
    ...(things.length === 0 ? [] : [things.join(' and ')]),
    ...(shares === 0 ? [] : [`${links} to shared chats, which ${shares === 1 ? 'stops' : 'stop'} working`]),
    `${countOf(bots, 'bot')}, ${countOf(connectors, 'connector')} and their keys`,
    last,
  ]
}

function countOf(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`
}
