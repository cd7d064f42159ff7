import type { Message } from '@yonder/contract/message'
import { useEffect, useRef, useState } from 'react'
import { elicitationDraft } from '../elicitation/elicitation-draft.ts'
import { ElicitationForm } from '../elicitation/elicitation-form.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { AuthorizationNeeded } from './authorization-needed.tsx'
import { CallDetails } from './call-details.tsx'
import { CallLine } from './call-line.tsx'
import { CallProgress } from './call-progress.tsx'
import { describeCallState, readCallState } from './call-state.ts'
import type { CallState } from './call-state.ts'
import '../tools.css'

export interface ToolBlockProps {
  readonly chatId: string
  /** The reply that makes the call. */
  readonly message: Message
  readonly result: Message | undefined
  /** Whether no message follows the reply. */
  readonly isLast: boolean
  /** Absent while the user cannot decide. */
  readonly allow?: (() => void) | undefined
  readonly deny?: (() => void) | undefined
}

/** A tool call: one line that opens to the arguments and the result (§2.33), with what the user can decide (§2.34). */
export function ToolBlock({ chatId, message, result, isLast, allow, deny }: ToolBlockProps) {
  const [openByUser, setOpenByUser] = useState<boolean>()
  const line = useRef<HTMLButtonElement>(null)
  const state = readCallState(message, result, isLast)
  const open = openByUser ?? state === 'waiting'
  const { server = '', tool = '', call } = message
  const elicitation = state === 'running' ? call?.question : undefined
  useClearDraft(chatId, message.id, state)
  const sentence = describeCallState(state)
  const isExplained = result?.outcome?.parts.some(({ type }) => type === 'note') === true
  return (
    <section
      aria-label={`Tool call: ${call?.title ?? tool}`}
      className="my-2.5 rounded-card border border-line bg-surface text-sm"
    >
      <CallLine
        ref={line}
        message={message}
        state={state}
        durationMs={result?.outcome?.duration ?? null}
        open={open}
        onToggle={() => setOpenByUser(!open)}
      />
      {state === 'running' && elicitation === undefined && call?.progress !== undefined && (
        <CallProgress progress={call.progress} />
      )}
      {open && (
        <div className="flex flex-col gap-2 px-3 pt-1 pb-3">
          {sentence !== undefined && !isExplained && <p className="text-muted">{sentence}</p>}
          <CallDetails chatId={chatId} message={message} result={result} />
        </div>
      )}
      {state === 'waiting' && <ApprovalCard message={message} allow={allow} deny={deny} />}
      {state === 'authorization_needed' && <AuthorizationNeeded chatId={chatId} server={server} />}
      {elicitation !== undefined && (
        <ElicitationForm
          key={elicitation.id}
          chatId={chatId}
          message={message}
          elicitation={elicitation}
          focusAfter={line}
        />
      )}
      <output className="sr-only">
        {elicitation === undefined ? '' : `The connector ${server} asks you: ${elicitation.message}`}
      </output>
    </section>
  )
}

/** Removes the stored form entries when the call is over, even if it ended in another tab. */
function useClearDraft(chatId: string, messageId: string, state: CallState): void {
  const isOver = state !== 'waiting' && state !== 'running'
  useEffect(() => {
    if (isOver) elicitationDraft.clear(chatId, messageId)
  }, [isOver, chatId, messageId])
}
