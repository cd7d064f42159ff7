import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { MemoryRouter, useLocation } from 'react-router'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ChatListContext, ChatListStore } from '../../data/chat-list.ts'
import { followTheme } from '../../features/preferences/theme.ts'
import { ScriptedApi } from '../../testing/scripted-api.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Header } from './header.tsx'

const ada = { sub: '1', name: 'Ada', email: 'ada@example.com', picture: null }
const onSignOut = vi.fn()
const onSearch = vi.fn()

let stop: () => void
beforeEach(() => {
  stop = followTheme()
})
afterEach(() => stop())

function Location() {
  return <output data-testid="path">{useLocation().pathname}</output>
}

function open(chats: ChatListStore | null = null) {
  render(
    <ChatListContext value={chats}>
      <MemoryRouter initialEntries={['/chat/1']}>
        <Header
          user={ada}
          sourceUrl="https://code.example/yonder"
          list={{ isDocked: true, isOpen: false, setOpen: () => undefined }}
          onSignOut={onSignOut}
          onSearch={onSearch}
        />
        <Location />
      </MemoryRouter>
    </ChatListContext>,
  )
}

const path = () => screen.getByTestId('path').textContent

it('has a logo that links to the home page (§2.14)', async () => {
  open()
  await userEvent.click(screen.getByRole('link', { name: 'Yonder' }))
  expect(path()).toBe('/')
})

it('starts a new chat with its button and with its shortcut', async () => {
  open()
  await userEvent.click(screen.getByRole('button', { name: 'New chat' }))
  expect(path()).toBe('/')
  cleanup()
  open()
  expect(path()).toBe('/chat/1')
  await userEvent.keyboard('{Control>}{Shift>}o{/Shift}{/Control}')
  expect(path()).toBe('/')
})

it('opens the history search with its button and its shortcut, but not while a dialog is open (§2.16)', async () => {
  open()
  await userEvent.click(screen.getByRole('button', { name: 'Search chats' }))
  expect(onSearch).toHaveBeenCalledTimes(1)
  await userEvent.keyboard('{Control>}k{/Control}')
  expect(onSearch).toHaveBeenCalledTimes(2)
  render(<Dialog title="Add" onClose={vi.fn()} />)
  await userEvent.keyboard('{Control>}k{/Control}')
  expect(onSearch).toHaveBeenCalledTimes(2)
})

it('says on the button of the list how many calls wait while the list is closed', () => {
  const chats = new ChatListStore(new ScriptedApi().client)
  open(chats)
  expect(screen.getByRole('button', { name: 'Chats' })).toBeVisible()
  act(() => chats.note([{ id: 'a', title: 'One', update_time: '2026-11-29T10:00:00Z', waiting: true }]))
  expect(screen.getByRole('button', { name: 'Chats, 1 call waits for you' })).toBeVisible()
  act(() => chats.note([{ id: 'b', title: 'Two', update_time: '2026-11-29T10:00:00Z', waiting: true }]))
  expect(screen.getByRole('button', { name: 'Chats, 2 calls wait for you' })).toBeVisible()
})

it('links to the source repository, in a new tab (§2.17)', () => {
  open()
  const link = screen.getByRole('link', { name: 'Source code' })
  expect(link).toHaveAttribute('href', 'https://code.example/yonder')
  expect(link).toHaveAttribute('target', '_blank')
  expect(link).toHaveAttribute('rel', 'noreferrer')
})

describe('the avatar menu', () => {
  const openMenu = () => {
    open()
    fireEvent.pointerMove(screen.getByRole('button', { name: 'Account' }).parentElement as Element, {
      pointerType: 'mouse',
    })
  }

  it('lists the themes, the settings, the legal pages and Sign out (§2.18)', () => {
    openMenu()
    expect(screen.getAllByRole('menuitemradio').map((item) => item.textContent)).toEqual([
      'Light',
      'Dark',
      'System',
    ])
    expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual([
      'Settings',
      'Terms of Service',
      'Privacy Policy',
      'Sign out',
    ])
  })

  it('applies the chosen theme and stays open (§2.18, §1.10)', () => {
    openMenu()
    fireEvent.click(screen.getByRole('menuitemradio', { name: 'Dark' }))
    expect(document.documentElement).toHaveClass('dark')
    expect(screen.getByRole('menuitemradio', { name: 'Dark' })).toBeChecked()
    fireEvent.click(screen.getByRole('menuitemradio', { name: 'Light' }))
    expect(document.documentElement).not.toHaveClass('dark')
  })

  it.each([
    ['Settings', '/settings'],
    ['Terms of Service', '/terms'],
    ['Privacy Policy', '/privacy'],
  ])('opens %s (§2.18)', (name, target) => {
    openMenu()
    fireEvent.click(screen.getByRole('menuitem', { name }))
    expect(path()).toBe(target)
    expect(screen.queryByRole('menu')).toBeNull()
  })

  it('signs out (§2.18)', () => {
    openMenu()
    fireEvent.click(screen.getByRole('menuitem', { name: 'Sign out' }))
    expect(onSignOut).toHaveBeenCalledOnce()
  })
})
