import { useRef } from 'react'
import { storageKeys } from './chat-storage.ts'
import { Composer } from './composer/composer.tsx'
import { focusInput } from './composer/focus-input.ts'
import { UnsentNote } from './composer/unsent-note.tsx'
import { useBotChoice } from './composer/use-bot-choice.ts'
import { homeOutbox } from './session/home-outbox.ts'
import { useStartChat } from './use-start-chat.ts'

/**
 * The greeting, the input for the first message of a new chat, and the messages that were not sent.
 */
export function HomeView({ userName }: { readonly userName: string | null | undefined }) {
  const choice = useBotChoice(storageKeys.homeBot)
  const { isStarting, unsent, automatic, start, sendAgain } = useStartChat()
  const input = useRef<HTMLTextAreaElement>(null)
  const bot = choice.selected
  return (
    <div className="mx-auto flex w-full max-w-column flex-1 flex-col justify-center gap-8 px-4 pt-8 pb-[14vh] sm:px-6">
      <div className="text-center">
        <h1 className="text-2xl font-semibold tracking-tight text-balance">
          Welcome, <bdi>{userName?.trim() || 'there'}</bdi>.
        </h1>
        <p className="mt-1 text-lg text-muted">How can I help you today?</p>
      </div>
      <div className="flex flex-col gap-4">
        <Composer
          ref={input}
          choice={choice}
          draftKey={storageKeys.homeDraft}
          busy={isStarting}
          onSend={start}
        />
        {unsent.map((message) => (
          <UnsentNote
            key={message.request}
            content={message.content}
            failure={message.failure}
            isAutomatic={message === automatic}
            busy={isStarting}
            onSendAgain={() => sendAgain(message, bot?.name ?? message.botName)}
            onEdit={() => homeOutbox.edit(message)}
            onRemoved={() => focusInput(input.current)}
          />
        ))}
      </div>
    </div>
  )
}
