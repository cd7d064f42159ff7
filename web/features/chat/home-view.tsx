import { storageKeys } from './chat-storage.ts'
import { useBotChoice } from './composer/bot-select.tsx'
import { NewChat } from './new-chat.tsx'

/** The greeting, and the input for the first message of a new chat. */
export function HomeView({ userName }: { readonly userName: string | null | undefined }) {
  const choice = useBotChoice(storageKeys.homeBot)
  return (
    <div className="mx-auto flex w-full max-w-column flex-1 flex-col justify-center gap-8 px-4 pt-8 pb-[14vh] sm:px-6">
      <div className="text-center">
        <h1 className="text-2xl font-semibold tracking-tight text-balance">
          Welcome, <bdi>{userName?.trim() || 'there'}</bdi>.
        </h1>
        <p className="mt-1 text-lg text-muted">How can I help you today?</p>
      </div>
      <NewChat choice={choice} draftKey={storageKeys.homeDraft} />
    </div>
  )
}
