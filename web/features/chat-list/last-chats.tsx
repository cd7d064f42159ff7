import { useId } from 'react'
import { Link } from 'react-router'
import { useSection, type Selection } from '../../data/chat-list.ts'
import { ChatState, describeChat, rowLook } from './rows.tsx'

const all: Selection = { section: 'all' }
const shownChats = 3

/** The chats that were used last, for a page without the list. */
export function LastChats() {
  const { rows } = useSection(all)
  const heading = useId()
  if (rows.length === 0) return null
  return (
    <section aria-labelledby={heading} className="min-w-0 animate-appear">
      <h2 id={heading} className="flex min-h-9 items-center px-2.5 text-xs text-muted">
        Last chats
      </h2>
      <ul>
        {rows.slice(0, shownChats).map((chat) => (
          <li key={chat.id} className="h-9 pointer-coarse:h-11">
            <Link
              to={`/chat/${encodeURIComponent(chat.id)}`}
              title={chat.title}
              aria-label={describeChat(chat)}
              className={rowLook}
            >
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {chat.title}
              </span>
              <ChatState chat={chat} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
