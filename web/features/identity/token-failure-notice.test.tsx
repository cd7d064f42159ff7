import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { makeIdentity } from '../../testing/make-identity.ts'
import type { IdentityClient } from './identity-client.ts'
import { tokenFailed, type IdentityState } from './identity-state.ts'
import { TokenFailureNotice } from './token-failure-notice.tsx'
import { IdentityContext } from './use-identity.ts'

function open(failure: string | null) {
  const getAccessToken = vi.fn<IdentityClient['getAccessToken']>(() => Promise.reject(new Error(tokenFailed)))
  const user = { sub: 'user-1', name: 'Ada', email: null, picture: null }
  const state: IdentityState = { status: 'authenticated', user, failure }
  const identity = makeIdentity({ getState: () => state, getAccessToken })
  render(
    <IdentityContext value={identity}>
      <TokenFailureNotice />
    </IdentityContext>,
  )
  return getAccessToken
}

it('stays until a token is available, and retries on Try again (§4.1, §8.6)', async () => {
  const getAccessToken = open(tokenFailed)
  expect(screen.getByRole('status')).toHaveTextContent('Get access token failed')
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(getAccessToken).toHaveBeenCalledOnce()
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeEnabled()
  expect(screen.getByRole('status')).toHaveTextContent('Get access token failed')
})

it('is not shown while tokens are available', () => {
  open(null)
  expect(screen.queryByRole('status')).toBeNull()
})
