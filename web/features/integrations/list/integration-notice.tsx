import type { Integration } from '@yonder/contract/integration'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { Authorization } from '../../../data/integrations.ts'
import { QuotedText } from '../../../ui/quoted-text.tsx'

export interface IntegrationNoticeProps {
  readonly integration: Integration
  readonly failed: Authorization['failed']
}

/**
 * Shows why the consent page could not be opened. Otherwise it shows the integration's error and the server's
 * notice, each if there is one.
 */
export function IntegrationNotice({ integration, failed }: IntegrationNoticeProps) {
  const { name, error_message, notice } = integration
  if (failed?.name === name) return <Notice text={failed.reason} kind="error" isNew />
  return (
    <>
      {error_message !== undefined && <Notice text={error_message} kind="error" />}
      {notice !== null && <Notice text={notice} kind="warning" />}
    </>
  )
}

interface NoticeProps {
  readonly text: string
  readonly kind: 'error' | 'warning'
  /** Whether it has just happened, so that it is announced. */
  readonly isNew?: boolean
}

function Notice({ text, kind, isNew = false }: NoticeProps) {
  const Icon = kind === 'error' ? CircleAlert : TriangleAlert
  return (
    <div
      role={isNew ? 'alert' : undefined}
      className="mt-3.5 flex items-start gap-2.5 border-t border-line pt-3 text-sm"
    >
      <Icon
        size={16}
        aria-hidden
        className={kind === 'error' ? 'mt-0.5 shrink-0 text-danger' : 'mt-0.5 shrink-0 text-warning'}
      />
      <p className="min-w-0 wrap-anywhere">
        <QuotedText>{text}</QuotedText>
      </p>
    </div>
  )
}
