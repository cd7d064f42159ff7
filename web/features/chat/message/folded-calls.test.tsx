import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { FoldedCalls } from './folded-calls.tsx'

it('says how many calls did not succeed, which may be denied or stopped and not failed', () => {
  const fold = { firstId: 'a0', foldedIds: new Set(['a0']), count: 6, failures: 1 }
  render(<FoldedCalls fold={fold} open={false} onToggle={() => undefined} />)
  expect(screen.getByRole('button')).toHaveTextContent(/^6 tool calls\s*1 did not succeed$/)
})
