/** A question with its replies. The last reply is selected, as after a regeneration. */
export interface ExampleTurn {
  readonly question: string
  readonly replies: readonly string[]
}

export interface ExampleChat {
  /** How long before now the chat was last changed. */
  readonly ageHours: number
  readonly turns: readonly ExampleTurn[]
}

/** The turns of the long chat: too many to be rendered at once. */
const longTurns = 300

const bread: ExampleTurn = {
  question: 'How do I keep a sourdough starter alive over a two-week holiday?',
  replies: [
    'Feed it, let it rise for an hour, and put it in the fridge. Two weeks are no danger.',
    `Two weeks are easy for a healthy starter.

1. **Feed it stiff**: one part starter, one part water, two parts flour. Little water slows it down.
2. Leave it out for an hour, so that it just begins to rise.
3. Put it in the **fridge**, in a jar with a loose lid.

When you are back, pour off the grey liquid and feed it twice, twelve hours apart, before you bake.`,
  ],
}

const sql: readonly ExampleTurn[] = [
  {
    question: 'Find the second highest salary of each department in SQL, please.',
    replies: [
      `Rank the salaries inside each department and keep rank two:

\`\`\`sql
select department, name, salary
from (
  select department, name, salary,
         dense_rank() over (partition by department order by salary desc) as place
  from employees
) ranked
where place = 2;
\`\`\`

\`dense_rank\` counts equal salaries once, so two employees with the highest salary do not push the second one away.`,
    ],
  },
  {
    question: 'And how do the three ranking functions differ?',
    replies: [
      `For the salaries 90, 90, 80, 70:

| salary | row_number | rank | dense_rank |
| ---: | ---: | ---: | ---: |
| 90 | 1 | 1 | 1 |
| 90 | 2 | 1 | 1 |
| 80 | 3 | 3 | 2 |
| 70 | 4 | 4 | 3 |

Only \`row_number\` never repeats, and only \`rank\` leaves gaps.`,
    ],
  },
]

const languages: ExampleTurn = {
  question: '「木漏れ日」とはどういう意味ですか？',
  replies: [
    '**木漏れ日**（こもれび）は、木の葉のあいだから漏れてくる日の光のことです。\n\nIn English there is no single word for it; "dappled sunlight" comes close. 🌿',
  ],
}

function* listLongTurns(): Generator<ExampleTurn> {
  for (let turn = 1; turn <= longTurns; turn++) {
    yield {
      question: `Tell me something about the number ${turn}.`,
      replies: [describeNumber(turn)],
    }
  }
}

function describeNumber(number: number): string {
  const divisors = Array.from({ length: number }, (_, index) => index + 1).filter(
    (part) => number % part === 0,
  )
  const kind = divisors.length === 2 ? 'It is **prime**.' : `Its divisors are ${divisors.join(', ')}.`
  return `${kind} Its square is ${number ** 2}, in binary it is \`${number.toString(2)}\`.`
}

/** The chats of each example account, the newest first. */
export const exampleChats: readonly ExampleChat[] = [
  { ageHours: 2, turns: [bread] },
  { ageHours: 26, turns: sql },
  { ageHours: 75, turns: [languages] },
  { ageHours: 200, turns: [...listLongTurns()] },
]
