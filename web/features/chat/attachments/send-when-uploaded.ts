import { useEffect, useEffectEvent, useState } from 'react'
import type { Attachments } from './use-attachments.ts'

export interface WaitingSend {
  /** Sends now, or when all files are stored. */
  readonly submit: () => void
  readonly cancel: () => void
  readonly isWaiting: boolean
  /** Why the message was not sent, until the failed files are gone. */
  readonly problem: string | undefined
}

/**
 * Lets a message wait for its files, and for a reply that begins meanwhile. A file that cannot be stored keeps the message
 * unsent.
 */
export function useSendWhenUploaded(attachments: Attachments, busy: boolean, send: () => void): WaitingSend {
  const { uploading, failed } = attachments
  const [attempt, setAttempt] = useState<'none' | 'waiting' | 'refused'>('none')
  const isBlocked = failed.length > 0
  if (attempt === 'refused' && !isBlocked) setAttempt('none')
  const submit = () => {
    if (isBlocked) return setAttempt('refused')
    if (uploading > 0) return setAttempt('waiting')
    setAttempt('none')
    send()
  }
  const settle = useEffectEvent(submit)
  const isWaiting = attempt === 'waiting'
  const isOver = isBlocked || (uploading === 0 && !busy)
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- the end of the uploads is the event
    if (isWaiting && isOver) settle()
  }, [isWaiting, isOver])
  return {
    submit,
    cancel: () => setAttempt('none'),
    isWaiting,
    problem: attempt === 'refused' ? explainUnsent(attachments) : undefined,
  }
}

/** Says what a message that is to be sent waits for. */
export function describeWaiting(uploading: number): string {
  if (uploading === 0) return 'Waiting for the reply'
  return `Waiting for ${uploading === 1 ? 'one file' : `${uploading} files`}`
}

function explainUnsent({ failed, states }: Attachments): string {
  const what = failed.length === 1 ? `“${failed[0]?.name}”` : `${failed.length} files`
  const canRetry = failed.some(({ id }) => {
    const state = states.get(id)
    return state?.phase === 'failed' && state.canRetry
  })
  return `Not sent: ${what} could not be uploaded. ${canRetry ? 'Retry or remove' : 'Remove'} ${failed.length === 1 ? 'it' : 'them'}.`
}
