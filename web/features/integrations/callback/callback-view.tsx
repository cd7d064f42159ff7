import { titleOfIntegration } from '@yonder/contract/integration-names'
import { CircleCheck, CircleX } from 'lucide-react'
import { useEffect } from 'react'
import { Link, Navigate, useNavigate } from 'react-router'
import { Spinner } from '../../../ui/states/progress.tsx'
import { useCallbackOutcome, type CallbackOutcome } from './use-callback-outcome.ts'

/** How long an outcome is shown before the list of integrations opens. */
const outcomeMs = { connected: 1500, failed: 3000 } as const
const integrationsPath = '/settings/integrations'

/** The page to which the browser returns from the consent page. */
export function CallbackView({ service }: { readonly service: string }) {
  const outcome = useCallbackOutcome(service)
  useListAfterOutcome(outcome.kind)
  const title = titleOfIntegration(service)
  if (outcome.kind === 'used') return <Navigate to={integrationsPath} replace />
  return (
    // Not centred vertically, so that the title does not move when the outcome appears.
    <div className="mx-auto flex w-full max-w-md flex-1 flex-col items-center px-6 pt-[22vh] pb-12 text-center">
      <div className="flex size-9 items-center justify-center">
        <OutcomeIcon kind={outcome.kind} />
      </div>
      <h1 className="mt-4 max-w-full text-xl font-semibold wrap-anywhere">{`${title} Integration`.trim()}</h1>
      <OutcomeText outcome={outcome} title={title} />
      {outcome.kind !== 'processing' && (
        <Link
          to={integrationsPath}
          replace
          className="touch-target mt-5 inline-flex items-center text-sm text-accent underline underline-offset-4"
        >
          Go to Integrations
        </Link>
      )}
    </div>
  )
}

function useListAfterOutcome(kind: CallbackOutcome['kind']): void {
  const navigate = useNavigate()
  const delayMs = kind === 'connected' || kind === 'failed' ? outcomeMs[kind] : undefined
  useEffect(() => {
    if (delayMs === undefined) return
    const timer = setTimeout(() => void navigate(integrationsPath, { replace: true }), delayMs)
    return () => clearTimeout(timer)
  }, [delayMs, navigate])
}

function OutcomeIcon({ kind }: { readonly kind: 'processing' | 'connected' | 'failed' }) {
  if (kind === 'processing') return <Spinner size={28} />
  return kind === 'connected' ? (
    <CircleCheck size={32} aria-hidden className="text-success" />
  ) : (
    <CircleX size={32} aria-hidden className="text-danger" />
  )
}

interface OutcomeTextProps {
  readonly outcome: Exclude<CallbackOutcome, { kind: 'used' }>
  readonly title: string
}

function OutcomeText({ outcome, title }: OutcomeTextProps) {
  if (outcome.kind === 'failed')
    return (
      <div role="alert" className="mt-1.5 max-w-full wrap-anywhere">
        <p>{outcome.message}</p>
        {outcome.detail !== undefined && <p className="mt-1 text-sm text-muted">{outcome.detail}</p>}
      </div>
    )
  return (
    <output className="mt-1.5 max-w-full wrap-anywhere">
      {outcome.kind === 'processing'
        ? `Processing ${title} authorization...`
        : `${title} connected successfully!`}
    </output>
  )
}
