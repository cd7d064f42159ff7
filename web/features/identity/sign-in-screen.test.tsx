import { cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ClientSettings } from '@yonder/contract/identity'
import { describe, expect, it, vi } from 'vitest'
import { makeIdentity } from '../../testing/make-identity.ts'
import type { IdentityClient } from './identity-client.ts'
import { loginFailed, type IdentityState } from './identity-state.ts'
import { SignInScreen } from './sign-in-screen.tsx'
import { IdentityContext } from './use-identity.ts'

function open(
  embedded: boolean,
  state: IdentityState = { status: 'unauthenticated' },
  demoShareId: string | null = null,
  needsSetUp?: boolean,
  more: Partial<ClientSettings['identity']> = {},
) {
  const signIn = vi.fn<IdentityClient['signIn']>(() => Promise.resolve())
  const identity = makeIdentity({ getState: () => state, signIn })
  const settings: ClientSettings = {
    identity: {
      issuer: 'https://id.example',
      clientId: 'web',
      audience: 'api',
      googleParams: {},
      embedded,
      ...more,
    },
    sourceUrl: 'https://code.example/yonder',
    demoShareId,
    ...(needsSetUp === undefined ? {} : { needsSetUp }),
  }
  render(
    <IdentityContext value={identity}>
      <SignInScreen settings={settings} returnTo="/chat/abc" />
    </IdentityContext>,
  )
  return { signIn }
}

describe('the sign-in screen', () => {
  it('shows its title, its text and a link to the source (§2.13)', () => {
    open(true)
    expect(screen.getByRole('heading', { name: 'Yonder' })).toBeVisible()
    expect(screen.getByText('Sign in to access your chats')).toBeVisible()
    expect(screen.getByRole('link', { name: /source/i })).toHaveAttribute(
      'href',
      'https://code.example/yonder',
    )
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it("links to the demo with 'See Demo', in a new tab, if there is one (§2.13, §1.6)", () => {
    open(true, { status: 'unauthenticated' }, 'demo')
    const link = screen.getByRole('link', { name: 'See Demo' })
    expect(link).toHaveAttribute('href', '/share/demo')
    expect(link).toHaveAttribute('target', '_blank')
    cleanup()
    open(true)
    expect(screen.queryByRole('link', { name: 'See Demo' })).toBeNull()
  })

  it('starts a sign-in with Google that returns to this path (§2.13)', async () => {
    const { signIn } = open(false)
    await userEvent.click(screen.getByRole('button', { name: 'Sign in with Google' }))
    expect(signIn).toHaveBeenCalledExactlyOnceWith({ withGoogle: true, returnTo: '/chat/abc' })
    expect(screen.queryByRole('button', { name: /local/ })).toBeNull()
  })

  it('offers a local account where the provider is embedded', async () => {
    const { signIn } = open(true)
    await userEvent.click(screen.getByRole('button', { name: 'Sign in with a local account' }))
    expect(signIn).toHaveBeenCalledExactlyOnceWith({ withGoogle: false, returnTo: '/chat/abc' })
    expect(screen.getByRole('button', { name: 'Sign in with Google' })).toBeVisible()
  })

  it.each<[Partial<ClientSettings['identity']>, readonly string[]]>([
    [{}, ['Sign in with Google']],
    [{ providerName: 'Contoso' }, ['Sign in with Contoso']],
    [
      { providerName: 'Contoso', googleParams: { connection: 'google' } },
      ['Sign in with Contoso', 'Sign in with Google'],
    ],
  ])('names the provider: %o', async (more, names) => {
    const { signIn } = open(false, { status: 'unauthenticated' }, null, undefined, more)
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(names)
    await userEvent.click(screen.getByRole('button', { name: names[0] ?? '' }))
    const withGoogle = more.providerName === undefined
    expect(signIn).toHaveBeenCalledExactlyOnceWith({ withGoogle, returnTo: '/chat/abc' })
  })

  it('says why the user was signed out, and what is wrong with the settings of the server', () => {
    open(false, { status: 'unauthenticated', reason: 'It expired.' }, null, undefined, {
      problem: 'No keys.',
    })
    expect(screen.getByRole('status')).toHaveTextContent('You were signed out. It expired.')
    expect(screen.getByRole('alert')).toHaveTextContent('No keys.')
  })

  it('says where the set-up link is while there is no account', async () => {
    open(true, { status: 'unauthenticated' }, null, true)
    const notice = await screen.findByRole('region', { name: 'Create the first account' })
    for (const command of ['docker compose logs', 'journalctl -u yonder', /^yonder users invite/])
      expect(within(notice).getByText(command)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Sign in with a local account' })).toBeEnabled()
    cleanup()
    open(true)
    expect(screen.queryByRole('region', { name: 'Create the first account' })).toBeNull()
  })

  it('shows why a sign-in failed, and offers to try again (§4.1, §8.5)', () => {
    open(false, { status: 'error', message: loginFailed, reason: 'The clock is wrong.' })
    expect(screen.getByRole('alert')).toHaveTextContent(/^Login failed$/)
    expect(screen.getByRole('status')).toHaveTextContent('The clock is wrong.')
    expect(screen.getByRole('button', { name: 'Sign in with Google' })).toBeEnabled()
  })
})
