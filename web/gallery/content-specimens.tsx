import { MessagesSquare } from 'lucide-react'
import { toast } from '../lib/toasts.ts'
import { Button } from '../ui/button/button.tsx'
import { Avatar } from '../ui/icons/avatar.tsx'
import { Logo } from '../ui/icons/logo.tsx'
import { ModelIcon } from '../ui/icons/model-icon.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { MarkedText } from '../ui/marked-text.tsx'
import { ErrorState } from '../ui/states/error-state.tsx'
import { Skeleton, Spinner } from '../ui/states/progress.tsx'
import { StateBadge } from '../ui/states/state-badge.tsx'
import { EmptyState, LoadingState } from '../ui/states/states.tsx'
import { Section, Specimen } from './section.tsx'

export function StateSpecimens() {
  return (
    <Section
      title="States"
      lead="Every list can be empty, loading or failed. An empty list shows what to do next; a failed one has a button to try again."
    >
      <Specimen name="Empty" arrange="column">
        <div className="gallery-card">
          <EmptyState
            icon={<MessagesSquare size={22} aria-hidden />}
            title="No chats yet"
            action={<Button size="small">Start a chat</Button>}
          >
            Your chats with bots are listed here.
          </EmptyState>
        </div>
      </Specimen>
      <Specimen name="Loading" arrange="column">
        <div className="gallery-card">
          <LoadingState>Loading chats...</LoadingState>
        </div>
      </Specimen>
      <Specimen name="Error" arrange="column">
        <div className="gallery-card">
          <ErrorState
            title="Error loading chats"
            retry={{ label: 'Try again', onRetry: () => toast.success('Loaded again') }}
          >
            The server did not respond. Check your connection.
          </ErrorState>
        </div>
      </Specimen>
      <Specimen name="Skeleton" arrange="column">
        <div className="flex flex-col gap-3">
          <span className="size-12">
            <Skeleton shape="circle" />
          </span>
          <span className="h-4 w-full">
            <Skeleton />
          </span>
          <span className="h-4 w-2/3">
            <Skeleton />
          </span>
          <span className="ml-auto h-12 w-3/5">
            <Skeleton shape="block" />
          </span>
        </div>
      </Specimen>
      <Specimen name="Spinners">
        <Spinner label="Loading" />
        <Spinner size={24} label="Loading" />
      </Specimen>
      <Specimen name="Badges">
        <StateBadge tone="success">Connected</StateBadge>
        <StateBadge tone="danger">Failed</StateBadge>
        <StateBadge tone="danger" hollow>
          Disconnected
        </StateBadge>
      </Specimen>
      <Specimen name="Logo, avatars, model families">
        <Logo />
        <Avatar name="Ada" />
        <Avatar name="李" size={48} />
        <ModelIcon model="claude" />
        <ModelIcon model="gemini" />
        <ModelIcon model="deepseek" />
        <ModelIcon />
      </Specimen>
      <Specimen name="Matches of a search">
        <p className="text-sm">
          <MarkedText text="Which mushrooms glow at night? Some mushrooms do." search="mushrooms night" />
        </p>
      </Specimen>
    </Section>
  )
}

const article = `# A heading of the first level

A paragraph with **strong** and *emphasised* words, \`inline code\`, a [link to another site](https://example.com) and a
formula $e^{i\\pi} + 1 = 0$ in its line.

## The second level

- a list
  - with a list inside
- and a second entry

1. first
2. second

- [x] done
- [ ] to do

> A quote, which may be long enough to run over more than one line of the column.

### The third level

| connector | tools | state |
| --- | ---: | --- |
| calculator | 4 | connected |
| calendar | 12 | disconnected |

\`\`\`ts
/** Adds two numbers. */
export function add(a: number, b: number): number {
  return a + b // 5
}
\`\`\`

$$
\\int_0^1 x^2 \\, dx = \\frac{1}{3}
$$

![A diagram](https://example.com/diagram.png)

---

The end, with a note.[^1]

[^1]: A note at the end of the text.`

const streaming = `Text that is still streaming ends in an open block:

\`\`\`python
def greet(name):
    print(f"Hello, {name}`

export function MarkdownSpecimens() {
  return (
    <Section title="Markdown" lead="The text of replies, messages and summaries, in one reading column.">
      <Specimen name="Finished" wide arrange="column">
        <div className="max-w-column">
          <Markdown text={article} />
        </div>
      </Specimen>
      <Specimen name="Streaming" wide arrange="column">
        <div className="max-w-column">
          <Markdown text={streaming} growing />
        </div>
      </Specimen>
    </Section>
  )
}
