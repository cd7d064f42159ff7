import { describe, expect, it } from 'vitest'
import { writeWithName } from './connector-name.ts'

describe('writeWithName', () => {
  const rules = { dialect: { isUniqueViolation: () => true }, reservedNames: new Set<string>() }

  it('does not call the name taken when only its slug collides again and again', async () => {
    let attempts = 0
    const write = () => {
      attempts++
      return Promise.reject(new Error('UNIQUE constraint failed: connectors.user_id, connectors.slug'))
    }
    await expect(writeWithName(rules, 'Tools', write)).rejects.toMatchObject({ code: 'conflict' })
    expect(attempts).toBe(3)
  })

  it('calls the name taken at the first collision of names', async () => {
    const write = () => Promise.reject(new Error('UNIQUE constraint failed: connectors_name'))
    await expect(writeWithName(rules, 'Tools', write)).rejects.toMatchObject({ code: 'name_taken' })
  })
})
