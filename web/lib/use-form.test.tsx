import { act, fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { useForm, type FormOptions } from './use-form.ts'

interface Draft {
  readonly name: string
  readonly model: string
}
type Field = keyof Draft
type Options = FormOptions<Draft, Field>

const check: Options['check'] = ({ name, model }) => ({
  ...(name === '' && { name: 'Name is missing' }),
  ...(model === '' && { model: 'Model is missing' }),
})

function Example({ submit, clears = 'changed' }: Partial<Options>) {
  const form = useForm<Draft, Field>({
    initial: () => ({ name: '', model: '' }),
    check,
    submit: submit ?? (async () => undefined),
    clears,
  })
  return (
    <form aria-label="Example" onSubmit={form.onSubmit} aria-busy={form.pending}>
      {(['name', 'model'] as const).map((field) => (
        <label key={field}>
          {field}
          <input
            ref={form.ref(field)}
            value={form.draft[field]}
            onChange={({ target }) => form.change({ [field]: target.value })}
          />
          {form.problems[field]}
        </label>
      ))}
    </form>
  )
}

const form = () => screen.getByRole('form')
const submitForm = () => act(async () => void fireEvent.submit(form()))
const [first, second] = [() => screen.getByLabelText(/name/), () => screen.getByLabelText(/model/)]

it('shows every problem, focuses the first wrong field, and does not submit', async () => {
  const submit = vi.fn<Options['submit']>()
  render(<Example submit={submit} />)
  await submitForm()
  expect(form()).toHaveTextContent('Name is missing')
  expect(form()).toHaveTextContent('Model is missing')
  expect(first()).toHaveFocus()
  expect(submit).not.toHaveBeenCalled()
})

it.each([
  ['changed', true],
  ['all', false],
] as const)('clears the problems of %s fields on a change', async (clears, isOtherKept) => {
  render(<Example clears={clears} />)
  await submitForm()
  await userEvent.type(first(), 'A')
  expect(form()).not.toHaveTextContent('Name is missing')
  expect(form().textContent.includes('Model is missing')).toBe(isOtherKept)
})

it('submits a complete draft once at a time, and shows the problems that the server found', async () => {
  let respond: (problems: { readonly name: string }) => void = () => undefined
  const submit = vi.fn<Options['submit']>(() => new Promise((resolve) => (respond = resolve)))
  render(<Example submit={submit} />)
  await userEvent.type(first(), 'Owl')
  await userEvent.type(second(), 'owl-1')
  await submitForm()
  await submitForm()
  expect(submit).toHaveBeenCalledExactlyOnceWith({ name: 'Owl', model: 'owl-1' })
  expect(form()).toHaveAttribute('aria-busy', 'true')
  await act(async () => respond({ name: 'Name is taken' }))
  expect(form()).toHaveTextContent('Name is taken')
  expect(form()).toHaveAttribute('aria-busy', 'false')
})
