import { describe, expect, it } from 'vitest'
import { chooseMedia, findMediaProblem, mediaLimitsOf, type MediaSize } from './media-limits.ts'

const MB = 1024 * 1024
const anthropic = mediaLimitsOf('anthropic', 'https://api.anthropic.com/v1')
const google = mediaLimitsOf('google', 'https://generativelanguage.googleapis.com/v1beta')
const openai = mediaLimitsOf('openai', 'https://api.openai.com/v1')

const picture = (bytes = 1, fields: Partial<MediaSize> = {}): MediaSize => ({
  mediaType: 'image/png',
  bytes,
  ...fields,
})
const pdf = (bytes = 1, pages?: number): MediaSize => ({ mediaType: 'application/pdf', bytes, pages })

describe('the limits of providers', () => {
  it('are those of the host before those of the API type', () => {
    expect(mediaLimitsOf('openai', 'https://api.groq.com/openai/v1')).toMatchObject({
      pictures: 5,
      pdfPages: 100,
    })
    expect(mediaLimitsOf('openai', 'https://groq.com.example.com/v1').pictures).toBe(20)
    expect(mediaLimitsOf('openai', null)).toEqual(openai)
    expect(mediaLimitsOf('openai', 'no address')).toEqual(openai)
  })

  it.each([
    ['a GIF for Google', picture(1, { mediaType: 'image/gif' }), google, /type image\/gif/],
    ['a picture of 3.76 MB for Anthropic', picture(3.76 * MB), anthropic, /larger than the 3\.75 MB/],
    ['a wide picture for Anthropic', picture(1, { width: 8_001, height: 1 }), anthropic, /8,000 pixels/],
    ['a long PDF for Anthropic', pdf(1, 101), anthropic, /more than the 100 pages/],
    ['a PDF of 14 MB for Google', pdf(14 * MB), google, /larger than the 13\.5 MB/],
  ])('exclude %s', (_, media, limits, problem) => {
    expect(findMediaProblem(media, limits)).toMatch(problem)
    expect(chooseMedia([media], limits).size).toBe(0)
  })

  it('allow what is just as large', () => {
    for (const media of [picture(3.75 * MB, { width: 8_000, height: 8_000 }), pdf(22.5 * MB, 100)])
      expect(findMediaProblem(media, anthropic)).toBeUndefined()
  })
})

describe('the choice of what is sent', () => {
  it('has the newest 20 pictures', () => {
    const pictures = Array.from({ length: 25 }, () => picture())
    expect([...chooseMedia(pictures, anthropic)]).toEqual(pictures.slice(0, 20))
    expect(chooseMedia(pictures, anthropic).has(pictures[20] as MediaSize)).toBe(false)
  })

  it('counts the size of all in base64, and stops at the first that does not fit', () => {
    const large = Array.from({ length: 9 }, () => picture(3 * MB))
    const small = picture()
    // Seven times 4 MB; the eighth exceeds 30 MB.
    expect([...chooseMedia([...large, small], anthropic)]).toEqual(large.slice(0, 7))
  })

  it('counts pages of PDFs together, and pictures beside them', () => {
    const [first, second, third, old] = [pdf(1, 60), pdf(1, 50), pdf(1, 1), picture()]
    expect([...chooseMedia([first, second, third, old], anthropic)]).toEqual([first, old])
  })

  it('leaves out what is taken in no request, and goes on with older ones', () => {
    const [huge, old] = [picture(9 * MB), picture()]
    expect([...chooseMedia([huge, old], anthropic)]).toEqual([old])
  })

  it('is empty for an empty chat', () => {
    expect(chooseMedia([], anthropic).size).toBe(0)
  })
})
