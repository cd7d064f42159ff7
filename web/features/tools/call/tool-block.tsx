import type { Message } from '@yonder/contract/message'
import { useEffect, useState } from 'react'
import { ApprovalCard } from './approval-card.tsx'
import { AuthorizationNeeded } from './authorization-needed.tsx'
import { CallDetails } from './call-details.tsx'
import { CallLine } from './call-line.tsx'
import { CallProgress } from './call-progress.tsx'
import { describeCallState } from './describe-call-state.ts'
import { questionDraft } from '../elicitation/elicitation-draft.ts'
import { QuestionForm } from '../elicitation/elicitation-form.tsx'
import { readCallState } from './read-call-state.ts'
import type { CallState } from './read-call-state.ts'
import '../tools.css'

export interface ToolBlockProps {
  readonly chatId: string
  /** The reply that makes the call. */
  readonly message: Message
  readonly result: Message | undefined
  /** Whether nothing came after it. */
  readonly isLast: boolean
  /** Absent while nothing can be decided. */
  readonly allow?: (() => void) | undefined
  readonly deny?: (() => void) | undefined
}

/** The call of a tool: one line, opened for what went in and came out (§2.33), and for its person to decide (§2.34). */
export function ToolBlock({ chatId, message, result, isLast, allow, deny }: ToolBlockProps) {
  const [choice, setChoice] = useState<boolean>()
  const state = readCallState(message, result, isLast)
  const open = choice ?? state === 'waiting'
  const { server = '', tool = '', call } = message
  const question = state === 'running' ? call?.question : undefined
  useOverDraft(chatId, message.id, state)
  const sentence = describeCallState(state)
  const isExplained = result?.outcome?.parts.some(({ type }) => type === 'note') === true
  return (
    <section
      aria-label={`Tool call: ${call?.title ?? tool}`}
      className="my-2.5 rounded-card border border-line bg-surface text-sm"
    >
      <CallLine
        message={message}
        state={state}
        duration={result?.outcome?.duration ?? null}
        open={open}
        onToggle={() => setChoice(!open)}
      />
      {state === 'running' && question === undefined && call?.progress !== undefined && (
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
      {question !== undefined && (
        <QuestionForm key={question.id} chatId={chatId} message={message} question={question} />
      )}
      <output className="sr-only">
        {question === undefined ? '' : `The connector ${server} asks you: ${question.message}`}
      </output>
    </section>
  )
}

/** A call that is over asks nothing any more, whoever ended it: what was entered for it goes. */
function useOverDraft(chatId: string, messageId: string, state: CallState): void {
  const isOver = state !== 'waiting' && state !== 'running'
  useEffect(() => {
    if (isOver) questionDraft.clear(chatId, messageId)
  }, [isOver, chatId, messageId])
}
