/** One message of the demo chat. */
export interface DemoMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly call?: { readonly server: string; readonly tool: string; readonly arguments: string }
  /** Set when the message is the result of a tool call: the connector of that tool. */
  readonly resultOf?: string
}

/** The name of the built-in connector with the calculator. */
const builtIn = 'default'

/**
 * The chat that 'See Demo' opens. A changed text creates a new chat at the next start, to which the link then leads.
 */
export const demoChat: readonly DemoMessage[] = [
  {
    role: 'user',
    content: 'I put 8,000 aside at 3.2 % a year. What is it after ten years, and when has it doubled?',
  },
  {
    role: 'assistant',
    content: 'Powers are easy to get slightly wrong, so I will let the calculator do this one.',
    call: { server: builtIn, tool: 'calculate', arguments: '{"expression":"8000 * 1.032^10"}' },
  },
  { role: 'user', content: '10961.928370685176', resultOf: builtIn },
  {
    role: 'assistant',
    content: `After ten years you have **10,961.93**. Each year multiplies the sum by the same factor:

$$
K_n = K_0 \\left(1 + \\frac{p}{100}\\right)^n = 8000 \\cdot 1.032^{10} \\approx 10961.93
$$

It has doubled when $1.032^n = 2$, so the starting sum does not matter:

$$
n = \\frac{\\ln 2}{\\ln 1.032} \\approx 22.0
$$

| After | Sum | Gained in all |
| :--- | ---: | ---: |
| 1 year | 8,256.00 | 256.00 |
| 5 years | 9,364.58 | 1,364.58 |
| 10 years | 10,961.93 | 2,961.93 |
| 20 years | 15,020.48 | 7,020.48 |
| 23 years | 16,509.09 | 8,509.09 |

After 22 years you are at 15,997.18, a hair short of double; the 23rd year takes you past it.

> Interest that is paid out, taxed or eaten by inflation changes the picture. This is the plain case: everything stays in.`,
  },
  { role: 'user', content: 'Nice. Can I have that as a small TypeScript function?' },
  {
    role: 'assistant',
    content: `Here it is, with the doubling time beside it:

\`\`\`ts
/** The sum after \`years\`, when interest of \`percent\` a year is left in. */
export function grow(sum: number, percent: number, years: number): number {
  return sum * (1 + percent / 100) ** years
}

/** Years until a sum has doubled. */
export function yearsToDouble(percent: number): number {
  return Math.log(2) / Math.log(1 + percent / 100)
}

console.log(grow(8_000, 3.2, 10).toFixed(2)) // 10961.93
console.log(yearsToDouble(3.2).toFixed(1)) // 22.0
\`\`\`

Two things to know before you use it:

1. Numbers like these are fine for an estimate. For a ledger, **count in cents** and round where your bank does.
2. \`percent\` is per year. For monthly interest, pass a twelfth of it and count in months.`,
  },
  { role: 'user', content: 'And what is this place?' },
  {
    role: 'assistant',
    content: `**Yonder** is a chat application that you can run yourself. What you are reading is a shared chat: everyone with the link can read it, nobody can write in it, and it shows that a tool was called above, but not what went in and out.

Signed in, you can

- [x] choose among **bots**, each with its own model and, if you like, your own key
- [x] connect **tools** over MCP, and say for each one whether it may run *once*, *always* or *not at all*
- [x] find any chat again by a **word** in it, in whatever script it is written
- [x] ask for another answer and keep both: every chat is a tree, and you move through its **branches**
- [x] close the tab while a reply is being written; it goes on and is there when you come back
- [x] **share** a conversation like this one, and take the link back whenever you want

Sign in and try it. The built-in demo model needs no key.`,
  },
]
