import type { NewWebhook, NotificationSettings, TestResult } from '@yonder/contract/notification'
import { useId, useRef, useState } from 'react'
import { useRemoveWebhook, useSaveWebhook, useTestWebhook } from '../../data/notifications.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { useForm } from '../../lib/use-form.ts'
import { Button } from '../../ui/button/button.tsx'
import { CopyButton } from '../../ui/button/copy-button.tsx'
import { useFocusAfterMove } from '../../ui/focus.ts'
import { Field } from '../../ui/form/field.tsx'
import { SettingsGroup } from '../../ui/form/settings-list.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'
import { TestOutcome } from './test-outcome.tsx'

/** The webhook of the user: its address, its secret once, and why it fails. */
export function WebhookCard({ webhook }: Pick<NotificationSettings, 'webhook'>) {
  const [created, setCreated] = useState<NewWebhook>()
  const [outcome, setOutcome] = useState<TestResult>()
  const card = useRef<HTMLDivElement>(null)
  // The form is made anew for another address, and the buttons go with the webhook.
  useFocusAfterMove(card, () => card.current?.focus())
  const test = useTestWebhook()
  const remove = useRemoveWebhook()
  const runTest = async () => {
    const result = await test.run()
    if (result.done) setOutcome(result.answer)
  }
  const runRemove = async () => {
    if (!(await remove.run()).done) return
    setCreated(undefined)
    setOutcome(undefined)
  }
  return (
    <SettingsGroup title="Webhook">
      <div ref={card} tabIndex={-1} className="flex flex-col gap-3 py-4 outline-none">
        <WebhookForm
          // Another tab may have saved another address.
          key={webhook?.url}
          url={webhook?.url ?? ''}
          onSaved={(saved) => {
            setCreated(saved)
            setOutcome(undefined)
          }}
        />
        {webhook !== null && (
          <>
            {created?.url === webhook.url ? (
              <NewSecret secret={created.secret} />
            ) : (
              <p className="text-sm text-muted">
                Signed with the secret <code>{webhook.secret}</code>. Saving makes a new one.
              </p>
            )}
            <div className="flex flex-wrap gap-2">
              <Button busy={test.pending} onClick={() => void runTest()}>
                Test
              </Button>
              <Button busy={remove.pending} onClick={() => void runRemove()}>
                Remove
              </Button>
            </div>
            <div>
              <TestOutcome outcome={outcome} />
              {webhook.error !== null && outcome === undefined && (
                <p className="text-sm text-danger">The last notification did not arrive: {webhook.error}</p>
              )}
            </div>
          </>
        )}
      </div>
    </SettingsGroup>
  )
}

interface WebhookFormProps {
  readonly url: string
  readonly onSaved: (webhook: NewWebhook) => void
}

function WebhookForm({ url, onSaved }: WebhookFormProps) {
  const save = useSaveWebhook()
  const form = useForm<{ url: string }, 'url'>({
    initial: () => ({ url }),
    check: (draft) =>
      URL.canParse(draft.url.trim()) ? {} : { url: 'Enter an address such as https://example.com/hook.' },
    async submit(draft) {
      const result = await save.run(draft.url.trim())
      if (result.done) return onSaved(result.answer)
      return result.error === undefined ? undefined : { url: readReason(result.error) }
    },
  })
  return (
    <form noValidate onSubmit={form.onSubmit} className="flex flex-col gap-3">
      <Field
        label="Address"
        hint="A server of yours that receives a signed POST request (Standard Webhooks)."
        error={form.problems.url}
      >
        <TextInput
          ref={form.ref('url')}
          type="url"
          value={form.draft.url}
          onChange={(event) => form.change({ url: event.target.value })}
        />
      </Field>
      <div>
        <Button type="submit" look="primary" busy={form.pending}>
          Save
        </Button>
      </div>
    </form>
  )
}

/** The secret, which is shown only now. */
function NewSecret({ secret }: { readonly secret: string }) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <p id={id} className="text-sm font-medium">
        Secret, which is shown only now
      </p>
      <div className="flex items-center gap-2">
        <code aria-labelledby={id} className="min-w-0 text-sm wrap-anywhere">
          {secret}
        </code>
        <CopyButton title="Copy secret" text={secret} />
      </div>
    </div>
  )
}
