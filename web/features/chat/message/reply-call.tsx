import type { Message } from '@yonder/contract/message'
import { use } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { MessageSlotsContext } from './message-slots.ts'
import { ToolCallsContext } from './tool-calls.ts'

/** The tool call of a reply, with what its person can do about it now. */
export function ReplyCall({ message }: { readonly message: Message }) {
  const { toolCall } = use(MessageSlotsContext)
  const { resultOf, last, actions } = use(ToolCallsContext)
  const result = resultOf(message.id)
  const { busy = true, allow, deny, goOn } = actions ?? {}
  return (
    <>
      {toolCall?.({
        message,
        result,
        isLast: last?.id === message.id,
        allow: busy || allow === undefined ? undefined : () => allow(message),
        deny: busy || deny === undefined ? undefined : () => deny(message),
      })}
      {actions !== undefined && !busy && result !== undefined && result.id === last?.id && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <p className="text-sm text-muted italic">Nothing was written after this result.</p>
          <Button size="small" disabled={goOn === undefined} onClick={() => goOn?.(result)}>
            Continue
          </Button>
        </div>
      )}
    </>
  )
}
