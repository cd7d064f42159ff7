import { Composer } from './composer/composer.tsx'
import { storageKeys } from './composer/chat-storage.ts'
import { UnsentNote } from './composer/unsent-note.tsx'
import { useBotChoice } from './composer/use-bot-choice.ts'
import { drafts } from './composer/drafts.ts'
import { useStartChat } from './use-start-chat.ts'

/** The greeting and the first message of a new chat (§2.19, §2.20). */
export function HomeView({ userName }: { readonly userName: string | null | undefined }) {
  const choice = useBotChoice(storageKeys.homeBot)
  const { loading, failed, start, forget } = useStartChat()
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
          choice={choice}
          draftKey={storageKeys.homeDraft}
          loading={loading}
          onSend={(content, botName) => void start(content, botName)}
        />
        {failed !== undefined && (
          <UnsentNote
            text={failed.content}
            reason={failed.reason}
            busy={loading}
            onSendAgain={() => {
              if (bot !== undefined) void start(failed.content, bot.name)
            }}
            onEdit={() => {
              drafts.write(storageKeys.homeDraft, failed.content)
              forget()
            }}
          />
        )}
      </div>
    </div>
  )
}
