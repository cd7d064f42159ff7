import type { ReactNode } from 'react'

interface Family {
  readonly name: string
  readonly pattern: RegExp
  readonly shape: ReactNode
}

const stroke = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.75, strokeLinecap: 'round' } as const

/** The model families that have an icon. The first family whose pattern matches is used. */
const families: readonly Family[] = [
  {
    name: 'Claude',
    pattern: /claude/i,
    shape: (
      <path
        {...stroke}
        strokeWidth={2}
        d="M12 3.5v5M12 15.5v5M3.5 12h5M15.5 12h5M6 6l3.5 3.5M14.5 14.5 18 18M18 6l-3.5 3.5M9.5 14.5 6 18"
      />
    ),
  },
  {
    name: 'Gemini',
    pattern: /gemini/i,
    shape: (
      <path
        fill="currentColor"
        d="M12 2.5c.7 5.6 3.9 8.8 9.5 9.5-5.6.7-8.8 3.9-9.5 9.5-.7-5.6-3.9-8.8-9.5-9.5 5.6-.7 8.8-3.9 9.5-9.5Z"
      />
    ),
  },
  {
    name: 'DeepSeek',
    pattern: /deepseek/i,
    shape: (
      <>
        <path
          {...stroke}
          strokeLinejoin="round"
          d="M3 11.5c0 4.2 3.2 7.5 7.6 7.5 4.6 0 7.4-3 7.7-7 .1-1.7 1-2.7 2.7-3.5-1.7-.1-3 .4-3.9 1.4-.3-1.7-1.3-2.9-3-3.7.5 2.3-.2 3.8-2.1 4.3-2.7.7-5.5-.2-9 1Z"
        />
        <circle cx="8.5" cy="13.5" r="1.1" fill="currentColor" />
      </>
    ),
  },
]

const neutral: ReactNode = (
  <path
    {...stroke}
    d="M6.5 5h11A2.5 2.5 0 0 1 20 7.5v7a2.5 2.5 0 0 1-2.5 2.5H11l-4.5 3.5V17A2.5 2.5 0 0 1 4 14.5v-7A2.5 2.5 0 0 1 6.5 5Z"
    strokeLinejoin="round"
  />
)

/** The icon of a model's family, found by the model's name, or a neutral icon. */
export function ModelIcon({
  model,
  size = 18,
}: {
  readonly model?: string | undefined
  readonly size?: number
}) {
  const family = model === undefined ? undefined : families.find(({ pattern }) => pattern.test(model))
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      className="shrink-0"
      data-family={family?.name ?? 'other'}
      {...(family === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': family.name })}
    >
      {family?.shape ?? neutral}
    </svg>
  )
}
