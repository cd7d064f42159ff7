import type { ClientSettings } from '@yonder/contract/identity'
import { lazy } from 'react'
import { Button } from '../../ui/button/button.tsx'
import { Logo } from '../../ui/icons/logo.tsx'
import { hasDeletedAccount } from './deleted-notice.ts'
import { useIdentity } from './use-identity.ts'

/** Loaded on demand, because it is shown only until the first account exists. The sign-in screen waits for it. */
const SetUpNotice = lazy(async () => ({ default: (await import('./set-up-notice.tsx')).SetUpNotice }))

export interface SignInScreenProps {
  readonly settings: ClientSettings
  /** The path to return to after sign-in. */
  readonly returnTo: string
}

/** The sign-in screen, shown to signed-out visitors. */
export function SignInScreen({ settings, returnTo }: SignInScreenProps) {
  const { state, identity } = useIdentity()
  const { embedded, providerName, googleParams, problem } = settings.identity
  const signIn = (withGoogle: boolean) => void identity.signIn({ withGoogle, returnTo })
  const first = embedded ? 'a local account' : providerName
  const offersGoogle = embedded || first === undefined || Object.keys(googleParams).length > 0
  const reason = state.status === 'unauthenticated' ? state.reason : undefined
  const gone = hasDeletedAccount() ? 'Your account is deleted.' : reason && `You were signed out. ${reason}`
  return (
    <main className="flex flex-1 flex-col items-center justify-center px-5 py-12 text-center">
      <Logo size={56} />
      <h1 className="mt-6 text-2xl font-semibold tracking-tight">Yonder</h1>
      <p className="mt-1 text-muted">Sign in to access your chats</p>
      {state.status === 'error' && (
        <div className={`${notice} bg-danger-soft text-danger`}>
          <p role="alert" className="font-medium">
            {state.message}
          </p>
          {state.reason !== undefined && <output className="mt-1 block">{state.reason}</output>}
        </div>
      )}
      {problem !== undefined && (
        <p role="alert" className={`${notice} bg-danger-soft text-danger`}>
          {problem}
        </p>
      )}
      {gone !== undefined && <output className={`${notice} bg-sunken`}>{gone}</output>}
      {settings.needsSetUp === true && <SetUpNotice />}
      <div className="mt-8 flex w-full max-w-88 flex-col gap-3">
        {first !== undefined && (
          <Button look="primary" size="large" onClick={() => signIn(false)}>
            Sign in with {first}
          </Button>
        )}
        {offersGoogle && (
          <Button look={first === undefined ? 'primary' : 'quiet'} size="large" onClick={() => signIn(true)}>
            Sign in with Google
          </Button>
        )}
      </div>
      <p className="mt-8 flex flex-wrap justify-center gap-x-6 gap-y-2">
        {settings.demoShareId !== null && (
          <OutsideLink href={`/share/${settings.demoShareId}`}>See Demo</OutsideLink>
        )}
        <OutsideLink href={settings.sourceUrl}>Source code</OutsideLink>
      </p>
    </main>
  )
}

const notice = 'mt-6 block w-full max-w-88 rounded-control px-3 py-2.5 text-left text-sm wrap-anywhere'

function OutsideLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className="touch-target inline-flex items-center text-sm text-muted underline decoration-line-strong underline-offset-4 hover:text-ink"
    >
      {children}
    </a>
  )
}
