import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, it } from 'vitest'
import { SelfServiceContext } from '../../data/self-service.ts'
import { AppRoutes } from '../app-routes.tsx'
import { PrivacyScreen } from './privacy-screen.tsx'

it.each([
  ['Terms of Service', '/terms'],
  ['Privacy Policy', '/privacy'],
])(
  '%s shows its date, what is stored, the minimum age, and what is not available (§2.95, §1.9, §9.16)',
  async (title, path) => {
    render(
      <SelfServiceContext value={false}>
        <MemoryRouter initialEntries={[path]}>
          <AppRoutes session="signed-out" landing={null} />
        </MemoryRouter>
      </SelfServiceContext>,
    )
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible()
    expect(screen.getByText('July 12, 2025')).toHaveAttribute('datetime', '2025-07-12')
    const text = screen.getByRole('main').textContent
    expect(text).toMatch(
      /chat(s| data)[^.]* configurations of your bots and connectors are stored in a cloud database/,
    )
    expect(text).toMatch(/not meant for children under 13/)
    expect(text).toMatch(/Deleting or exporting (this|all your) data by yourself is not available/)
    expect(text).not.toContain('delete your chats')
    expect(document.title).toBe(`${title} · Yonder`)
  },
)

it.each(['/terms', '/privacy'])(
  '%s says what users can delete and export by themselves where the operator allows it, and where',
  async (path) => {
    render(
      <SelfServiceContext value={true}>
        <MemoryRouter initialEntries={[path]}>
          <AppRoutes session="signed-out" landing={null} />
        </MemoryRouter>
      </SelfServiceContext>,
    )
    const main = await screen.findByRole('main')
    expect(main).toHaveTextContent(/You can delete your chats by yourself.* restore them for 30 days/)
    expect(main).toHaveTextContent(/in the settings under Data/i)
    expect(main).toHaveTextContent(/export (all|everything).*delete your account/)
    expect(main).not.toHaveTextContent('not available')
  },
)

it('Terms of Service says nothing about it until the settings of the site are known (§1.9)', async () => {
  const screenOf = (selfService?: boolean) => (
    <SelfServiceContext value={selfService}>
      <MemoryRouter initialEntries={['/terms']}>
        <AppRoutes session="loading" landing={null} />
      </MemoryRouter>
    </SelfServiceContext>
  )
  const { rerender } = render(screenOf())
  const sentence = await screen.findByText(/by yourself is not available/)
  expect(sentence).toHaveClass('invisible')
  rerender(screenOf(false))
  expect(sentence).not.toHaveClass('invisible')
})

it('lists what the browser stores, and what integrations store and send (§2.95)', () => {
  render(
    <MemoryRouter>
      <PrivacyScreen />
    </MemoryRouter>,
  )
  const sectionOf = (title: string) => screen.getByRole('heading', { name: title }).parentElement?.textContent
  const browser = sectionOf('What stays in your browser')
  for (const item of ['theme', 'logs', 'bots', 'images', 'token', 'drafts', 'edits', 'answers', 'messages'])
    expect(browser).toContain(item)
  expect(browser).toContain('Signing out removes the token and everything that was not sent')
  expect(sectionOf('What is stored')).toMatch(
    /An integration keeps the key [^.]* consent at Google, encrypted/,
  )
  expect(sectionOf('Who else receives it')).toMatch(
    /an integration brings[^.]* goes to the provider of the model/,
  )
})
