import type { StepDecisionRequest } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import type { StepCall, ToolCall } from '@yonder/contract/tool-call'
import { Check, Wrench, X } from 'lucide-react'
import { useCallback, useEffect, useId, useState } from 'react'
import { useConnectors } from '../../../data/connectors.ts'
import { ApiError, readReason } from '../../../lib/api/api-error.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { logError } from '../../../lib/log-error.ts'
import { toast } from '../../../lib/toasts.ts'
import { Button } from '../../../ui/button/button.tsx'
import { InertText, ToolName } from '../../../ui/inert-text.tsx'
import { CutTextContext } from '../../../ui/tool-text.tsx'
import { CallQuestion, withEdit } from './approval-card.tsx'
import { CallDetails } from './call-details.tsx'
import type { CallDecisions } from './decide-call.ts'
import type { EditDraft } from './edit-draft.ts'
import { type CallEdit, useCallEdit } from './use-call-edit.ts'

export interface StepCallsProps {
  readonly chatId: string
  /** The reply with the waiting call. */
  readonly message: Message
  /** The later calls of its step. */
  readonly steps: readonly StepCall[]
  /** Decides about the waiting call. */
  readonly decide: CallDecisions | undefined
  /** The changes to the arguments of the waiting call. */
  readonly edit: CallEdit
  readonly onChange: ((message: Message) => void) | undefined
}

type Decision = Pick<StepDecisionRequest, 'callId' | 'allow' | 'edited' | 'reason'>

/** The later calls of a step, each decided alone, and what can be decided about all of them together. */
export function StepCalls({ chatId, message, steps, decide, edit, onChange }: StepCallsProps) {
  const prefix = useId()
  const { pending, send } = useStepDecisions(chatId, message, onChange, prefix)
  const canDecide = decide !== undefined && !pending
  const undecided = steps.filter(({ asks, decided }) => asks && decided === undefined)
  const reads = undecided.filter(({ effect }) => effect === 'read')
  const isReadFirst = message.call?.effect === 'read'
  const readCount = reads.length + (isReadFirst ? 1 : 0)
  /** The changes to the arguments of the later calls, by their ids. */
  const [drafts, setDrafts] = useState<ReadonlyMap<string, EditDraft | undefined>>(new Map())
  const keepDraft = useCallback(
    (id: string, draft: EditDraft | undefined) => setDrafts((before) => new Map(before).set(id, draft)),
    [],
  )
  const readDrafts = [...reads.map(({ id }) => drafts.get(id)), isReadFirst ? edit.draft : undefined]
  const isEditing = readDrafts.some((draft) => draft?.isOpen === true)

  /** The later calls first: the waiting one starts the run, in which they are carried out. */
  const decideAll = async (calls: readonly StepCall[], allow: boolean, last: (() => void) | undefined) => {
    for (const { id } of calls) {
      const edited = allow ? drafts.get(id)?.text : undefined
      if (!(await send({ callId: id, allow, ...(edited !== undefined && { edited }) }))) return
    }
    last?.()
  }
  const allowFirst = () => decide && withEdit(decide, edit).allow()
  return (
    <>
      {steps.map((step) => (
        <LaterCall
          key={step.id}
          chatId={chatId}
          message={message}
          elementId={`${prefix}${step.id}`}
          step={step}
          canDecide={canDecide}
          send={send}
          onDraft={keepDraft}
        />
      ))}
      {undecided.length > 0 && (
        <div className="flex flex-wrap gap-2 border-t border-line p-3">
          {readCount > 0 && (
            <Button
              size="small"
              disabled={!canDecide || isEditing}
              onClick={() => void decideAll(reads, true, isReadFirst ? allowFirst : undefined)}
            >
              {readCount === 1 ? 'Allow the read' : 'Allow all reads'}
            </Button>
          )}
          <Button
            look="plain"
            size="small"
            disabled={!canDecide}
            onClick={() => void decideAll(undecided, false, () => decide?.deny())}
          >
            {undecided.length === 1 ? 'Deny both' : 'Deny all'}
          </Button>
        </div>
      )}
    </>
  )
}

/**
 * Moves the focus to an element when it would be lost: buttons are disabled while a decision is sent, and gone after it.
 */
function keepFocus(element: HTMLElement | null): void {
  const focused = document.activeElement
  const isLost = focused === null || focused === document.body || focused.matches(':disabled')
  if (isLost || element?.contains(focused) === true) element?.focus({ preventScroll: true })
}

/**
 * Sends decisions about later calls of a step, one after the other. The ids of the elements of the calls are their own
 * after `prefix`.
 */
function useStepDecisions(
  chatId: string,
  message: Message,
  onChange: ((message: Message) => void) | undefined,
  prefix: string,
) {
  const api = useApi()
  const [pending, setPending] = useState(false)
  /** Returns whether the server has stored the decision. `onRefused` is called when it refuses changed arguments. */
  const send = async (decision: Decision, onRefused?: (reason: string) => void): Promise<boolean> => {
    const request: StepDecisionRequest = { chatId, messageId: message.id, ...decision }
    setPending(true)
    try {
      const stored = await api.put<{ readonly call: ToolCall }>('/api/tool/step-decision', request)
      if (stored !== undefined) onChange?.({ ...message, call: stored.call })
      return stored !== undefined
    } catch (error) {
      const text = `The call could not be decided: ${readReason(error)}`
      logError(text, error)
      const isRefused = onRefused !== undefined && error instanceof ApiError && error.status === 400
      if (isRefused) onRefused(readReason(error))
      else toast.error(text)
      return false
    } finally {
      setPending(false)
      keepFocus(document.getElementById(`${prefix}${decision.callId}`))
    }
  }
  return { pending, send }
}

interface LaterCallProps extends Pick<StepCallsProps, 'chatId' | 'message'> {
  readonly elementId: string
  readonly step: StepCall
  readonly canDecide: boolean
  readonly send: ReturnType<typeof useStepDecisions>['send']
  /** Called with the changes to the arguments. */
  readonly onDraft: (id: string, draft: EditDraft | undefined) => void
}

/** A later call: its question, or one line once it is decided. */
function LaterCall({ chatId, message, elementId, step, canDecide, send, onDraft }: LaterCallProps) {
  const { id, server, tool, title, asks, decided } = step
  const edit = useCallEdit(chatId, message.id, id)
  useEffect(() => onDraft(id, edit.draft), [onDraft, id, edit.draft])
  const { data: connectors, error } = useConnectors()
  const [cutTexts, setCutTexts] = useState(0)
  const addCutText = useCallback(() => {
    setCutTexts((count) => count + 1)
    return () => setCutTexts((count) => count - 1)
  }, [])
  const call = toMessage(message, step)
  const decide: CallDecisions = {
    allow: (edited) =>
      void send({ callId: id, allow: true, ...(edited && { edited: edited.text }) }, edited?.onRefused),
    deny: (reason) => void send({ callId: id, allow: false, ...(reason !== undefined && { reason }) }),
  }
  return (
    <section
      id={elementId}
      tabIndex={-1}
      aria-label={`Later call: ${title ?? tool}`}
      className="border-t border-line"
    >
      <div className="flex min-h-10 flex-wrap items-center gap-2.5 px-3 py-2">
        <Wrench size={16} aria-hidden className="shrink-0 text-muted" />
        <span className="flex min-w-0 flex-1 flex-wrap gap-x-1.5">
          <bdi className="max-w-full text-muted wrap-anywhere">
            <InertText>{server}</InertText>
          </bdi>{' '}
          <bdi className="max-w-full font-medium wrap-anywhere">
            <ToolName>{title ?? tool}</ToolName>
          </bdi>
        </span>
        {!asks && <span className="text-xs text-muted">Needs no approval</span>}
        {decided !== undefined && (
          <Button
            look="plain"
            size="small"
            disabled={!canDecide}
            onClick={() => void send({ callId: id, allow: null })}
          >
            Undo
          </Button>
        )}
      </div>
      {decided !== undefined && <Decided decided={decided} />}
      {asks && decided === undefined && (
        <CutTextContext value={addCutText}>
          <div className="flex flex-col gap-2 px-3 pb-3">
            <CallDetails message={call} result={undefined} edit={edit} />
          </div>
          <CallQuestion
            chatId={chatId}
            message={call}
            decide={canDecide ? decide : undefined}
            edit={edit}
            isCut={cutTexts > 0}
            look="quiet"
            connectors={connectors}
            isLoading={connectors === undefined && error === undefined}
            isOnce
          />
        </CutTextContext>
      )}
    </section>
  )
}

function Decided({
  decided: { allow, edited, reason },
}: {
  readonly decided: NonNullable<StepCall['decided']>
}) {
  const Icon = allow ? Check : X
  const what = allow
    ? `Allowed${edited === undefined ? '' : ' with your arguments'}. It runs`
    : 'Denied. The model is told'
  return (
    <div className="px-3 pb-2 text-xs text-muted">
      <output className="flex items-start gap-1.5">
        <Icon size={16} aria-hidden className={allow ? 'shrink-0 text-success' : 'shrink-0'} />
        {what} after the calls above are decided.
      </output>
      {reason !== undefined && (
        <p dir="auto" className="whitespace-pre-line wrap-anywhere">
          “{reason}”
        </p>
      )}
    </div>
  )
}

/** Returns the reply that would make a later call, as far as its question needs it. */
function toMessage(message: Message, step: StepCall): Message {
  const { id, server, tool, title, arguments: args, effect, changes, fingerprint, credential } = step
  const call = { state: 'waiting', title, effect, changes, fingerprint, credential } as const
  return { ...message, id: `${message.id} ${id}`, server, tool, arguments: args, call }
}
