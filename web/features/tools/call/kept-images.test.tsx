import { render, waitFor } from '@testing-library/react'
import { SWRConfig, type State } from 'swr'
import useSWRImmutable from 'swr/immutable'
import { expect, test } from 'vitest'
import { maxKeptChars, useKeptImage } from './kept-images.ts'

function Image({ path }: { readonly path: string }) {
  useSWRImmutable(path)
  useKeptImage(path)
  return null
}

/** Shows images of a third of what is kept. Returns the paths of those in memory. */
function show() {
  const cache = new Map<string, State<unknown>>()
  const image = 'a'.repeat(Math.floor(maxKeptChars / 3))
  const screen = (paths: readonly string[]) => (
    <SWRConfig value={{ provider: () => cache, fetcher: () => Promise.resolve(image) }}>
      {paths.map((path) => (
        <Image key={path} path={path} />
      ))}
    </SWRConfig>
  )
  const { rerender } = render(screen([]))
  const inMemory = () => [...cache].filter(([, { data }]) => data !== undefined).map(([path]) => path)
  return {
    inMemory,
    async open(...paths: string[]) {
      rerender(screen(paths))
      await waitFor(() => expect(inMemory()).toEqual(expect.arrayContaining(paths)))
    },
  }
}

test('keeps every image that is shown, whatever their size', async () => {
  const images = show()
  await images.open('a', 'b', 'c', 'd', 'e')
  expect(images.inMemory()).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('removes the images that were hidden first when the others need the space', async () => {
  const images = show()
  for (const path of ['a', 'b', 'c']) await images.open(path)
  await images.open('a')
  await images.open('d')
  await images.open('e')
  await images.open()
  expect(images.inMemory().toSorted()).toEqual(['a', 'd', 'e'])
})
