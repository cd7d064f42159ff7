import type { Integration } from '@yonder/contract/integration'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { Authorization } from '../../../data/integrations.ts'

export interface IntegrationNoticeProps {
  readonly integration: Integration
  readonly failed: Authorization['failed']
}

/** Shows why the consent page could not be opened, or else the server's message about the integration (§19.6). */
export function IntegrationNotice({ integration, failed }: IntegrationNoticeProps) {
  const isFailed = failed?.name === integration.name
  const text = isFailed ? failed.reason : integration.notice
  if (text === null) return null
  const Icon = isFailed ? CircleAlert : TriangleAlert
  return (
    <div
      role={isFailed ? 'alert' : undefined}
      className="mt-3.5 flex items-start gap-2.5 border-t border-line pt-3 text-sm"
    >
      <Icon
        size={16}
        aria-hidden
        className={isFailed ? 'mt-0.5 shrink-0 text-danger' : 'mt-0.5 shrink-0 text-warning'}
      />
      <p className="min-w-0 wrap-anywhere">{text}</p>
    </div>
  )
}
