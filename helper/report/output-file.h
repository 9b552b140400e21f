/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

struct gzFile_s;

namespace ns3
{

/**
 * @ingroup workload-replay
 * @brief A file that is there whole or not at all: written as `.NAME.new`, renamed when it is done.
 *
 * A reader never meets half a file under its name, and what an earlier run left there stays until
 * it is replaced. Faults of writing are reported once, at the end.
 *
 * A file whose name ends in .gz is compressed (gzip, RFC 1952). Its header has neither name nor
 * time, so that the same content gives the same bytes.
 */
class OutputFile
{
  public:
    /// Level of compression, 1 to 9. The fastest: tables become 13 to 23 times smaller, and level
    /// 6, which takes twice the processor time, saves but a fifth of what is left.
    static constexpr int COMPRESSION_LEVEL = 1;

    /**
     * @param directory where the file goes; it must be there
     * @param name its name
     */
    OutputFile(const std::string& directory, const std::string& name);

    /// Removes what was written, unless Finish() has renamed it.
    ~OutputFile();

    // The stream writes from a buffer of this object.
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /**
     * @return where the content goes; numbers are written the same whatever the locale. It is not
     *         good if the file cannot be opened, and errno says why.
     */
    std::ostream& GetStream();

    /**
     * Give the file its name. To be called once, after all is written.
     *
     * @return "PATH: error: could not be written (REASON)"; empty if it is written
     */
    std::string Finish();

  private:
    /// Gathers the content, and hands it to zlib, which writes it as it is or compressed.
    class Buffer : public std::streambuf
    {
      public:
        /**
         * @param path the file
         * @param isCompressed what it is to be
         */
        Buffer(const std::string& path, bool isCompressed);

        ~Buffer() override;

        /**
         * @return whether it can be written to
         */
        bool IsOpen() const;

        /**
         * Write what is gathered, and close the file.
         *
         * @return whether all was written
         */
        bool Close();

      protected:
        /**
         * Write what is gathered, and gather a character (std::streambuf).
         *
         * @param [in] character the character, or none: the end of a file
         * @return anything but the end of a file; that if it cannot be written
         */
        int_type overflow(int_type character) override;

        /**
         * Write what is gathered (std::streambuf).
         *
         * @return 0, or -1 if it cannot be written
         */
        int sync() override;

      private:
        std::vector<char> m_gathered; //!< what is not yet written
        gzFile_s* m_file;             //!< writes it; null = it is closed, or never was open
    };

    std::string m_path;      //!< where the file goes
    std::string m_temporary; //!< where it is until it is done; empty = it is done
    Buffer m_buffer;         //!< writes it
    std::ostream m_stream;   //!< fills the buffer
};

} // namespace ns3

#endif /* OUTPUT_FILE_H */
