/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BINARY_WINDOW_H
#define BINARY_WINDOW_H

#include "ns3/workload-error.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief Little-endian numbers anywhere in a file, of which only a window is in memory.
 */
class BinaryWindow
{
  public:
    /**
     * @param file the file
     * @throws WorkloadError if it cannot be read
     */
    explicit BinaryWindow(const std::string& file);

    /**
     * @return bytes of the file
     */
    uint64_t GetSize() const;

    /**
     * @param offset offset in the file
     * @param bytes bytes of the number, 1 to 8
     * @return the number
     * @throws WorkloadError with the offset if the file ends before
     */
    uint64_t Read(uint64_t offset, std::size_t bytes);

    /**
     * @param offset offset in the file
     * @return the place of an error: FILE, byte OFFSET
     */
    SourceLocation At(uint64_t offset) const;

  private:
    std::string m_file;        //!< the file
    std::ifstream m_stream;    //!< the same, open
    uint64_t m_size{0};        //!< its bytes
    uint64_t m_begin{0};       //!< where the window begins in it
    std::vector<char> m_bytes; //!< the window
};

} // namespace ns3

#endif /* BINARY_WINDOW_H */
