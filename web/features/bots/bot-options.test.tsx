import { fireEvent, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { BotsScene } from '../../testing/bots-scene.tsx'
import { buttonOf as button } from '../../testing/connectors-scene.tsx'
import { makeBot } from '../../testing/wire-objects.ts'

let scene: BotsScene

beforeEach(() => {
  scene = new BotsScene()
})

const labels = [
  'Instructions',
  'Temperature',
  'Top-p',
  'Reasoning effort',
  'API type',
  'Custom API path',
  'Max tokens',
  'Context window',
  'Pictures',
  'PDF files',
  'Title model',
]

async function openOptions() {
  const form = await scene.openAdd()
  await userEvent.type(form.getByLabelText('Name *'), 'A')
  await userEvent.type(form.getByLabelText('Model *'), 'm')
  await userEvent.click(form.getByRole('checkbox', { name: 'Optional settings' }))
  return form
}

describe('the optional settings of a bot', () => {
  it('are revealed by their checkbox, sent, and cleared when it is unchecked (§5.8)', async () => {
    const form = await openOptions()
    for (const label of labels) expect(form.getByLabelText(label)).toBeVisible()
    await userEvent.click(form.getByLabelText('Instructions'))
    await userEvent.paste('You help {{user}}.')
    await userEvent.type(form.getByLabelText('Temperature'), '0.7')
    await userEvent.type(form.getByLabelText('Top-p'), '0.9')
    await userEvent.selectOptions(form.getByLabelText('Reasoning effort'), 'High')
    await userEvent.type(form.getByLabelText('Context window'), '8000')
    const pictures = form.getByLabelText('Pictures')
    expect(pictures).toHaveDisplayValue('Automatic')
    await userEvent.selectOptions(pictures, 'Yes')
    await userEvent.selectOptions(form.getByLabelText('PDF files'), 'No')
    const title = form.getByLabelText('Title model')
    expect(title).toHaveAccessibleDescription(/one short request .* counted as usage/)
    await userEvent.type(title, ' namer ')
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({
      instructions: 'You help {{user}}.',
      temperature: 0.7,
      top_p: 0.9,
      reasoning_effort: 'high',
      context_window: 8000,
      images: 'yes',
      pdf: 'no',
      title_model: 'namer',
    })
  })

  it('are empty again after the checkbox was unchecked (§5.8)', async () => {
    const stored = makeBot({
      name: 'Full',
      instructions: 'Be brief.',
      temperature: 0,
      top_p: 1,
      reasoning_effort: 'low',
      context_window: 8_000,
      images: 'no',
      pdf: 'yes',
      title_model: 'namer',
    })
    scene = new BotsScene([stored])
    const form = await scene.openEdit('Full')
    const checkbox = form.getByRole('checkbox', { name: 'Optional settings' })
    expect(checkbox).toBeChecked()
    expect(form.getByLabelText('Instructions')).toHaveValue('Be brief.')
    expect(form.getByLabelText('Temperature')).toHaveValue(0)
    expect(form.getByLabelText('Pictures')).toHaveDisplayValue('No')
    expect(form.getByLabelText('PDF files')).toHaveDisplayValue('Yes')
    await userEvent.click(checkbox)
    expect(form.queryByLabelText('Instructions')).not.toBeInTheDocument()
    await userEvent.click(checkbox)
    expect(form.getByLabelText('Instructions')).toHaveValue('')
    expect(form.getByLabelText('Temperature')).toHaveValue(null)
    expect(form.getByLabelText('Title model')).toHaveValue('')
    await userEvent.click(button('Save', form))
    await waitFor(() => expect(scene.writes).toHaveLength(1))
    expect(scene.writes[0]?.body).toMatchObject({
      instructions: null,
      temperature: null,
      top_p: null,
      reasoning_effort: null,
      context_window: null,
      images: null,
      pdf: null,
      title_model: null,
    })
  })

  it.each([
    ['Temperature', '2.1', 'Temperature must be a number from 0 to 2'],
    ['Temperature', '-1', 'Temperature must be a number from 0 to 2'],
    ['Top-p', '1.5', 'Top-p must be a number from 0 to 1'],
    ['Context window', '999', 'Context window must be a whole number from 1,000 to 100,000,000'],
    ['Context window', '1000.5', 'Context window must be a whole number from 1,000 to 100,000,000'],
  ])('refuse a %s of %s in the dialog, and send nothing', async (label, text, message) => {
    const form = await openOptions()
    await userEvent.type(form.getByLabelText(label), text)
    await userEvent.click(button('Save', form))
    expect(form.getByText(message)).toHaveRole('alert')
    expect(form.getByLabelText(label)).toHaveFocus()
    expect(form.getByLabelText(label)).toBeInvalid()
    expect(scene.writes).toEqual([])
  })

  it('count long instructions, and refuse more than 50,000 characters', async () => {
    const form = await openOptions()
    const box = form.getByLabelText('Instructions')
    expect(box).toHaveAccessibleDescription(/\{\{user\}\}, \{\{date\}\} and \{\{time_zone\}\} are filled in/)
    fireEvent.change(box, { target: { value: 'x'.repeat(44_999) } })
    expect(form.queryByText(/of 50,000 characters/)).not.toBeInTheDocument()
    // Spaces at the ends are not saved, so they are not counted.
    fireEvent.change(box, { target: { value: `${'x'.repeat(50_000)}  \n` } })
    expect(form.getByText('50,000 of 50,000 characters.')).toBeInTheDocument()
    fireEvent.change(box, { target: { value: 'x'.repeat(50_001) } })
    expect(form.getByText('50,001 of 50,000 characters.')).toBeInTheDocument()
    await userEvent.click(button('Save', form))
    expect(form.getByText('Instructions must have at most 50,000 characters')).toHaveRole('alert')
    expect(box).toHaveFocus()
    expect(scene.writes).toEqual([])
  })
})
